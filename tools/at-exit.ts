const pending = new Set<() => void>();

/** One listener for all, because the process warns of many. */
function runAll(): void {
  for (const work of pending) work();
}

/** Calls `work` when this process exits, unless the returned function was called before. */
export function atExit(work: () => void): () => void {
  if (pending.size === 0) process.once('exit', runAll);
  pending.add(work);
  return () => {
    pending.delete(work);
    if (pending.size === 0) process.off('exit', runAll);
  };
}
