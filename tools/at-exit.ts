const pending = new Set<() => void>();

/** All work shares one listener, because the process warns of too many listeners. */
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
