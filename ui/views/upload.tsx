export function Upload() {
  return null;
}
