/** All icons: 16 × 16, stroke 1.4, in the color of the text. */
const PATHS = {
  search: 'M11 7a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM10 10l3.5 3.5',
  home: 'M2.5 7 8 2.5 13.5 7v6.5h-4v-4h-3v4h-4z',
  browse: 'M3 2.5v9.5h3.5M3 6.5h3.5M8.5 4.5h5v4h-5zM8.5 10.5h5v3h-5z',
  review: 'M2.5 9.5 4.5 3h7l2 6.5v3.5h-11zM2.5 9.5H6l.7 1.5h2.6l.7-1.5h3.5',
  send: 'M13.5 2.5 7 9M13.5 2.5l-4 11L7 9 2.5 6.5z',
  sliders:
    'M2.5 5h6M12 5h1.5M2.5 11H4M7.5 11h6M10.3 3.3a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4zM5.7 9.3a1.7 1.7 0 1 1 0 3.4 1.7 1.7 0 0 1 0-3.4z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  plus: 'M8 3v10M3 8h10',
  values: 'M2.5 4l1 1 1.8-2.2M2.5 8l1 1 1.8-2.2M2.5 12l1 1 1.8-2.2M8 4h5.5M8 8h5.5M8 12h5.5',
  check: 'm3.5 8.5 3 3 6-7',
  close: 'm4 4 8 8M12 4l-8 8',
  globe: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M2.5 8h11M8 2.5c2 2 2 9 0 11M8 2.5c-2 2-2 9 0 11',
  link: 'M6.5 9.5l3-3M7 4.5l1.2-1.2a2.7 2.7 0 0 1 3.8 3.8L10.8 8.3M9 11.5l-1.2 1.2A2.7 2.7 0 0 1 4 8.9l1.2-1.2',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  pencil: 'm3 13 .6-2.8L11 2.8 13.2 5l-7.4 7.4z',
  up: 'm4.5 9.5 3.5-3.5 3.5 3.5',
  down: 'm4.5 6.5 3.5 3.5 3.5-3.5',
  right: 'm6.5 4.5 3.5 3.5-3.5 3.5',
  history: 'M2.5 8a5.5 5.5 0 1 0 1.8-4M2.5 2.5V5H5M8 5v3.2l2 1.3',
  columns: 'M2.5 3h11v10h-11zM6 3v10M10 3v10',
  download: 'M8 2.5V10M4.8 7 8 10.2 11.2 7M2.5 13.5h11',
  table: 'M2.5 3h11v10h-11zM2.5 6.5h11M6 6.5V13',
  inbox: 'M2.5 3.5h11v9h-11zM2.5 4l5.5 4.5L13.5 4',
  chart: 'M2.5 13.5h11M4 13.5V8M8 13.5V3M12 13.5V6',
  trash: 'M2.5 4.5h11M6 4.5v-2h4v2M4 4.5l.6 9h6.8l.6-9',
  file: 'M4 2.5h5l3 3v8H4zM9 2.5v3h3',
  help: 'M6 6a2 2 0 1 1 3 1.7c-.7.4-1 .8-1 1.6M8 11.6v.2',
  theme: 'M8 2.5a5.5 5.5 0 1 0 5.5 5.5A4.2 4.2 0 0 1 8 2.5z',
  leave: 'M9.5 2.5h-6v11h6M6.5 8h7M11 5.2 13.8 8 11 10.8',
  warning: 'M8 2.2 14.4 13.5H1.6zM8 6.5v3M8 11.4v.2',
  mend: 'M10.5 2.6a3.4 3.4 0 0 0-3.3 4.5l-4.7 4.7 1.7 1.7 4.7-4.7a3.4 3.4 0 0 0 4.3-4.3L11 6.7 9.3 5z',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  key: 'M9.5 6.5a3 3 0 1 1-1-2.2M8.6 8.2l5 5M11.5 11l1.5-1.5',
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      stroke-width="1.4"
      stroke-linecap="round"
      stroke-linejoin="round"
      aria-hidden="true"
    >
      <path d={PATHS[name]} />
    </svg>
  );
}

export function Brand() {
  return (
    <svg width="22" height="22" viewBox="0 0 22 22" aria-hidden="true">
      <rect x="1" y="1" width="20" height="20" rx="5.5" fill="var(--ink)" />
      <path
        d="M6 15.5 11 6l5 9.5M8.1 12h5.8"
        fill="none"
        stroke="var(--on-ink)"
        stroke-width="1.7"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
