/** The records that the queries of people are asked of, by class. */
type Fields = Readonly<Record<string, string | readonly string[]>>;

const publication = (pid: string, title: string, abstract: string, more: Fields = {}) =>
  ['Publication', { pid: `ex:${pid}`, title, abstract, ...more }] as const;
const person = (pid: string, name: string, more: Fields = {}) =>
  ['Person', { pid: `ex:${pid}`, name, ...more }] as const;
const organization = (pid: string, name: string, more: Fields = {}) =>
  ['Organization', { pid: `ex:${pid}`, name, ...more }] as const;
const dataset = (pid: string, title: string, description: string, more: Fields = {}) =>
  ['Dataset', { pid: `ex:${pid}`, title, description, ...more }] as const;

export const RECORDS: readonly (readonly [className: string, record: Fields])[] = [
  publication(
    'mouse-memory',
    'Spatial memory in the aging mouse brain',
    'We trained mice in a water maze and recorded place cells in the hippocampus. Older animals ran slower, and the run of the experiment was repeated.',
    {
      doi: '10.1016/j.neuron.2019.03.011',
      authors: ['Müller, Jürgen', 'O’Hara, Maeve'],
      published: '2019-03-11',
    },
  ),
  publication(
    'rat-whiskers',
    'Whisker movements of the rat during sleep',
    'Rats move their whiskers in their sleep. A strategy for tracking is described, with a memory of less than one gigabyte.',
    { doi: '10.1038/s41586-020-2649-2', authors: ['Nguyễn, Văn An', 'Løvås, Åse'], published: '2020-07-02' },
  ),
  publication(
    'open-source',
    'Open-source tools for reproducible neuroimaging',
    'A review of tools in Python and C++ that laboratories share. Most of them run on Linux.',
    { doi: '10.5281/zenodo.3678951', authors: ['Halchenko, Jaro', 'Strauß, Gerd'], published: '2020-02-20' },
  ),
  publication(
    'run-of-the-mill',
    'No run-of-the-mill cortex: columns revisited',
    'Columns of the cortex are not alike. We argue against the run of the mill model.',
    { doi: '10.1523/JNEUROSCI.0270-18.2018', authors: ['Weiß, Zoë'], published: '2018-05-16' },
  ),
  publication(
    'fmri-statistics',
    'Cluster failure in functional magnetic resonance imaging',
    'False positives of fMRI analyses with common software are higher than expected. Permutation tests do better.',
    {
      doi: '10.1073/pnas.1602413113',
      authors: ['Eklund, Anders', 'Nichols, Thomas'],
      published: '2016-06-28',
    },
  ),
  publication(
    'deep-learning',
    'Deep learning for segmentation of brain tumors',
    'A network of convolutions segments tumors in magnetic resonance images. Training takes two days.',
    {
      doi: '10.1016/j.media.2016.05.004',
      authors: ['Havaei, Mohammad', 'Çelik, Ayşe'],
      published: '2017-01-01',
    },
  ),
  publication(
    'datenschutz',
    'Datenschutzgrundverordnung und Forschungsdatenmanagement',
    'Was Forschende über die Verarbeitung personenbezogener Daten wissen müssen. Mit einem Leitfaden für Bibliotheken.',
    { doi: '10.17192/bfdm.2018.1.7821', authors: ['Größer, Käthe'], published: '2018-09-01' },
  ),
  publication(
    'blutdruck',
    'Blutdruckmessung bei Kindern in der Hausarztpraxis',
    'Die Messung des Blutdrucks ist bei Kindern nicht einfach. Wir vergleichen Manschetten.',
    { doi: '10.1055/s-0043-101234', authors: ['Schäfer, Björn'], published: '2017-02-03' },
  ),
  publication('tokyo', '東京大学の脳科学研究', '東京大学の研究者が脳科学の方法を紹介する。', {
    doi: '10.11477/mf.1416201234',
    authors: ['山田 太郎'],
    published: '2019-04-01',
  }),
  publication('elka', 'Ёлка и нейроны: новогодний обзор', 'Обзор исследований сна и памяти.', {
    doi: '10.7868/S0044467719010012',
    authors: ['Иванов, Пётр'],
    published: '2019-01-01',
  }),
  publication('greek', 'Η μνήμη του Σωκράτη', 'Ένα σχόλιο για τη μνήμη στους διαλόγους του Πλάτωνα.', {
    doi: '10.12681/dia.4567',
    authors: ['Παπαδόπουλος, Γιώργος'],
    published: '2015-05-05',
  }),
  publication(
    'efficient',
    'Eﬃcient coding and the ﬁrst spike',
    'The first spike of a neuron carries most of the information about a stimulus.',
    { doi: '10.1162/089976601750541787', authors: ['VanRullen, Rufin'], published: '2001-06-01' },
  ),
  publication(
    'sleep',
    'Sleep deprivation impairs attention in adolescents',
    'Adolescents who slept less than six hours made more errors. Memory was not affected, neither in mice nor in men.',
    { doi: '10.1093/sleep/zsx071', authors: ['Lo, June', 'García Márquez, José'], published: '2017-06-01' },
  ),
  publication(
    'dotnet',
    'A framework in .NET and C# for closed-loop experiments',
    'Bonsai is written in C# and runs on .NET. Nets of electrodes are supported.',
    { doi: '10.3389/fninf.2015.00007', authors: ['Lopes, Gonçalo'], published: '2015-04-08' },
  ),
  publication(
    'soft-hyphen',
    'Neuro\u00adplasticity after stroke',
    'Patients relearn movements. The word has a soft hyphen, as pages of publishers do.',
    { doi: '10.1016/S0140-6736(11)60325-5', authors: ['Langhorne, Peter'], published: '2011-05-14' },
  ),
  publication(
    'covid',
    'COVID-19 and the SARS-CoV-2 spike protein',
    'Levels of IL-6 rise. Co-operation by e-mail.',
    {
      doi: '10.1101/2020.04.26.062471',
      published: '2020-04-26',
    },
  ),
  publication(
    't1',
    'T1-weighted images of six centres',
    'Data-sets of neuro-imaging from a 3T scanner, with nano-particles of 10 nm at −80 °C.',
    { authors: ['Dvořák, Antonín'], published: '2021-11-30' },
  ),
  publication('arabic', 'الذاكرة المكانية في الدماغ', 'دراسة عن الفئران، نُشِرَت عام ٢٠١٧.', {
    authors: ['أحمد بن يوسف'],
  }),
  publication('hebrew', 'זיכרון מרחבי במוח', 'מחקר של צה״ל ואוניברסיטת בן־גוריון. שָׁלוֹם לכולם.'),
  publication('beijing', '北京大学脑科学数据库', '小鼠海马体的空间记忆研究。', { authors: ['王小明'] }),
  publication('katakana', '脳画像データベースの構築', 'マウスの海馬に関する研究。', {
    authors: ['鈴木 一郎'],
  }),
  publication('korean', '서울대학교 뇌과학 연구', '생쥐의 공간 기억.', { authors: ['김철수'] }),
  publication('hindi', 'मस्तिष्क में स्थानिक स्मृति', 'चूहों का अध्ययन'),
  publication(
    'mrt',
    'Magnetresonanztomographie des Kindergehirns',
    'Reproduzierbarkeit der Hirnvolumenmessung bei Vorschulkindern.',
  ),
  publication('faust', '„Faust“ und die Größe der Weltliteratur', 'Goethes Drama.'),
  publication(
    'genes',
    'The p53 gene, BRCA1/BRCA2 and the 5-HT2A receptor',
    'Na+/K+-ATPase and α-synuclein in Parkinson’s disease. NF-κB.',
  ),
  person('mueller', 'Jürgen Müller', {
    orcid: '0000-0002-1825-0097',
    email: 'juergen.mueller@fz-juelich.de',
    affiliation: 'Forschungszentrum Jülich',
  }),
  person('muller-ann', 'Ann Muller', {
    orcid: '0000-0001-5109-3700',
    email: 'ann.muller@example.org',
    affiliation: 'University of Zürich',
  }),
  person('ohara', 'Maeve O’Hara', {
    orcid: '0000-0003-0000-1234',
    email: 'maeve@tcd.ie',
    affiliation: 'Trinity College Dublin',
  }),
  person('weiss', 'Zoë Weiß', {
    orcid: '0000-0002-9079-593X',
    email: 'zoe.weiss@charite.de',
    affiliation: 'Charité Berlin',
  }),
  person('nguyen', 'Nguyễn Văn An', {
    orcid: '0000-0001-2345-6789',
    email: 'an.nguyen@vnu.edu.vn',
    affiliation: 'Vietnam National University',
  }),
  person('lovas', 'Åse Løvås', {
    orcid: '0000-0003-1111-2222',
    email: 'ase@uio.no',
    affiliation: 'Universitetet i Oslo',
  }),
  person('garcia', 'José García Márquez', {
    orcid: '0000-0002-3333-4444',
    email: 'jgarcia@uam.es',
    affiliation: 'Universidad Autónoma de Madrid',
  }),
  person('celik', 'Ayşe Çelik', {
    orcid: '0000-0001-5555-6666',
    email: 'ayse@boun.edu.tr',
    affiliation: 'Boğaziçi Üniversitesi',
  }),
  person('strauss', 'Gerd Strauß', {
    orcid: '0000-0002-7777-8888',
    email: 'strauss@uni-goettingen.de',
    affiliation: 'Universität Göttingen',
  }),
  person('grosser', 'Käthe Größer', {
    orcid: '0000-0003-9999-0001',
    email: 'k.groesser@zbmed.de',
    affiliation: 'ZB MED Köln',
  }),
  person('jean-luc', 'Jean-Luc Lefèvre', {
    orcid: '0000-0001-1212-3434',
    email: 'jl.lefevre@inria.fr',
    affiliation: 'INRIA Saclay',
  }),
  person('darc', "Jeanne d'Arc", {
    orcid: '0000-0001-1431-0530',
    email: 'jeanne@orleans.fr',
    affiliation: 'Université d’Orléans',
  }),
  person('papadopoulos', 'Γιώργος Παπαδόπουλος', {
    orcid: '0000-0002-1357-2468',
    email: 'gpapa@auth.gr',
    affiliation: 'Aristotle University',
  }),
  person('ivanov', 'Пётр Иванов', {
    orcid: '0000-0003-8642-9753',
    email: 'ivanov@msu.ru',
    affiliation: 'МГУ',
  }),
  person('yamada', '山田太郎', {
    orcid: '0000-0001-7531-8642',
    email: 'yamada@u-tokyo.ac.jp',
    affiliation: '東京大学',
  }),
  person('smith-a', 'Anna Smith', {
    orcid: '0000-0002-0101-0202',
    email: 'anna.smith@ucl.ac.uk',
    affiliation: 'University College London',
  }),
  person('smith-j', 'John Smith-Jones', {
    orcid: '0000-0002-0303-0404',
    email: 'jsj@ucl.ac.uk',
    affiliation: 'University College London',
  }),
  person('abd', 'Abd al-Rahman al-Sufi', {
    orcid: '0000-0001-0964-0986',
    email: 'sufi@isfahan.ir',
    affiliation: 'Isfahan',
  }),
  person('wojcik', 'Łukasz Wójcik', {
    orcid: '0000-0001-9999-100X',
    email: 'lukasz.wojcik+lab@uw.edu.pl',
  }),
  person('aegisson', 'Þórður Ægisson', { email: 't_aegisson@hi.is' }),
  person('inonu', 'Işık İnönü'),
  person('angstrom', 'Anders Jonas Ångström'),
  person('tepes', 'Ștefan Țepeș'),
  person('ben-gurion', 'דוד בן־גוריון'),
  person('sato', '佐藤 花子'),
  publication(
    'amyloid',
    'TNF-alpha, β-amyloid and Aβ42 in type II diabetes',
    'Interleukins of Henry VIII: Ca²⁺ and C₆H₁₂O₆ over an area of 25 m², at 10⁻³ mol/l. We used CaMKIIα and μ-opioid receptors, 200 µl each.',
    { doi: 'https://doi.org/10.1007/978-3-642-28108-2_19', authors: ['Smith, A. B.', 'de la Cruz, M.'] },
  ),
  publication(
    'grants',
    'Funding of the 🧠 days, Ⅲ: Methods & Materials',
    'Grants R01 MH096906, EXC-2068 – 390729961 and BMBF 01GQ1411. See https://www.example.org/data/view?id=42&lang=de#top or README.md, pages 12–34.',
    { authors: ['Möller-Lüdenscheidt, Paul', 'Vogel-Größe, Ida'], published: '2022-02-01' },
  ),
  publication('pubmed', 'Version control of large files', 'Supported by U01MH109589.', {
    authors: ['Halchenko YO', 'Poldrack RA'],
  }),
  publication(
    'estate',
    'Nachlass Aby Warburg, Kaiser-Wilhelm-Institut',
    'Staatsarchiv Hamburg, 622-1/28. Korrespondenz 1893–1929, Akte Nr. 17, fol. 12r–13v, Seite 1/2, No. 17, Hauptstraße 5.',
    { authors: ['Warburg, Aby'] },
  ),
  publication(
    'visual',
    'Dementia in BA17 and BA 44',
    'Alzheimer disease, GABA-A receptors and Nav1.7, measured with SPM12.',
  ),
  publication('worm', 'Light and Caenorhabditis elegans', 'Worms in the dark.', { doi: '2101.00001' }),
  publication('journal', 'Journal of Neuroscience', 'Print 0270-6474, online 1529-240X, 4041868-3.'),
  publication('isbn', 'Handbuch der Physiologie', 'ISBN 978-3-16-148410-0, früher 3-16-148410-X.'),
  publication('isbn-13', 'Zweites Handbuch', 'ISBN 9783540411604'),
  publication('tgf', 'Signalling by TGFβ1', 'Transforming growth factors, in CO2 and H2O. 1 m2 of skin.'),
  person('curie', 'Marie Skłodowska-Curie', { orcid: 'https://orcid.org/0000-0003-4321-8765' }),
  person('luedenscheidt', 'Paul Möller-Lüdenscheidt'),
  person('shakespeare', 'William H. Shakespeare'),
  organization('dlr', 'Deutsches Zentrum für Luft- und Raumfahrt', { city: 'Köln' }),
  organization('mit', 'M.I.T. (Massachusetts Institute of Technology)', { city: 'Cambridge, MA' }),
  organization('juelich', 'Forschungszentrum Jülich', { city: 'Jülich', ror: 'https://ror.org/02nv7yv05' }),
  organization('eth', 'ETH Zürich', { city: 'Zürich', ror: 'https://ror.org/05a28rw58' }),
  organization('uzh', 'Universität Zürich', { city: 'Zürich', ror: 'https://ror.org/02crff812' }),
  organization('att', 'AT&T Bell Labs', { city: 'Murray Hill' }),
  organization('zu-werk', 'Zu\u2010Werk GmbH', { city: 'Straßburg' }),
  organization('xento', 'Hotel “Xento”', { city: 'Sankt Gallen' }),
  organization('max-planck', 'Max-Planck-Institut für Hirnforschung', { city: 'Frankfurt am Main' }),
  organization('inserm', 'Institut national de la santé et de la recherche médicale', { city: 'Paris' }),
  dataset(
    'studyforrest',
    'studyforrest: a movie as stimulus',
    'Magnetic resonance imaging of people who watch Forrest Gump, in a mouse-free scanner.',
    { doi: '10.18112/openneuro.ds000113.v1.3.0', license: 'PDDL' },
  ),
  dataset(
    'mouse-atlas',
    'Allen mouse brain atlas',
    'Gene expression in the mouse brain at cellular resolution.',
    { doi: '10.1038/nature05453', license: 'CC-BY-4.0' },
  ),
  dataset(
    'weather',
    'Hourly weather of Potsdam 1893–2020',
    'Temperature, wind and rain. The run of bad weather in 1954 is included.',
    { doi: '10.5676/DWD/CDC-2020', license: 'CC0-1.0' },
  ),
  dataset(
    'faces',
    'Faces of emotion, version 2.1',
    'Photographs of 48 actors; three of them were left out.',
    { doi: '10.5255/UKDA-SN-2021', license: 'CC-BY-NC-ND-4.0' },
  ),
  dataset(
    'resting',
    'Resting EEG of 24 subjects',
    'Files sub-01_task-rest_eeg.set and participants.tsv, sampled at 500 Hz, with a filter from 0.1 to 40 Hz.',
    { doi: '10.5281/zenodo.1234567' },
  ),
  dataset(
    'bold',
    'BOLD at 7 T: sub-02_run-1_bold.nii.gz',
    'Voxels of 1.5 mm, slices of 2.5 µm, scanned at 25 °C. H₂O and CO₂ were measured, 5 mg/kg were given.',
  ),
];
