export function Submissions() {
  return null;
}
