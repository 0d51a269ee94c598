/** The processor time of this thread for some work, in milliseconds: on a busy machine it is the same as on an idle one. */
export function processorTime(work: () => void): number {
  const { user, system } = process.threadCpuUsage();
  work();
  const after = process.threadCpuUsage();
  return (after.user + after.system - user - system) / 1000;
}
