export function Decisions() {
  return null;
}
