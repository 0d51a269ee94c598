export function Queue() {
  return null;
}
