/**
 * Runs a task for each item, at most `limit` at the same time. After a failure, starts no more tasks and waits for the
 * running tasks, which the caller can abort.
 *
 * @throws the error of the first task that fails
 */
export async function inParallel<T>(
  items: readonly T[],
  { limit, task }: { readonly limit: number; readonly task: (item: T) => Promise<void> },
): Promise<void> {
  const rest = items.values();
  const failures: unknown[] = [];
  const work = async (): Promise<void> => {
    for (const item of rest) {
      if (failures.length > 0) return;
      try {
        await task(item);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, work));
  if (failures.length > 0) throw failures[0];
}
