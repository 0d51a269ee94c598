/** The first step of an import: the class of the rows, and the file. */
import { FileInput } from '../../../../ui/shared/file-input.tsx';
import { SelectField } from '../../../../ui/shared/select-field.tsx';
import type { ClassSummary } from '../../../client/client.ts';
import { type ReadOptions, ReadOptionsFields } from './read-options.tsx';
import { TemplateButtons } from './template-buttons.tsx';
import { ti } from './texts.ts';

export function FileStep(props: {
  collection: string;
  classes: readonly ClassSummary[];
  className: string;
  onClass: (name: string) => void;
  options: ReadOptions;
  onOptions: (next: ReadOptions) => void;
  onFile: (file: File) => void;
  /** Why the last file was not read. */
  problem: string | undefined;
  onProblem: (problem: string | undefined) => void;
}) {
  const { collection, classes, className, onClass, options, onOptions, onFile, problem, onProblem } = props;
  const choose = async (file: File) => {
    const first = await file
      .slice(0, 2)
      .arrayBuffer()
      .catch(() => undefined);
    const found = first ? problemOf(file, new Uint8Array(first)) : ti('unreadable');
    onProblem(found);
    if (found === undefined) onFile(file);
  };
  return (
    <div class="form">
      <div class="two-up">
        <SelectField id="upload-class" label={ti('class')} value={className} onChoose={onClass}>
          {classes.map((one) => (
            <option key={one.class} value={one.class}>
              {one.title ?? one.class}
            </option>
          ))}
        </SelectField>
        <div class="field">
          <label for="upload-file">{ti('file')}</label>
          <FileInput
            id="upload-file"
            accept=".csv,.tsv,.txt,.xlsx,.xlsm,.xlsb,.xls,.ods,text/csv"
            onFile={choose}
          />
        </div>
      </div>
      {problem !== undefined && (
        <p class="note st-rejected" role="alert">
          {problem}
        </p>
      )}
      <ReadOptionsFields options={options} onChange={onOptions} />
      <p class="muted">{ti('help')}</p>
      <TemplateButtons collection={collection} className={className} />
    </div>
  );
}

/** Reports files that could only be described as a strange CSV file. */
function problemOf({ name, size }: File, [first, second]: Uint8Array): string | undefined {
  if (size === 0) return ti('emptyFile');
  const isZip = first === 0x50 && second === 0x4b;
  return /\.xlsx$/i.test(name) && !isZip ? ti('notXlsx') : undefined;
}
