import { useLoaded } from '../parts/use-loaded.ts';

/** The address of the map tiles, if the service is told one; without it the map has its metre grid only. */
export function useTilesAddress(): string | null {
  const { value } = useLoaded(async (signal) => {
    const response = await fetch('/console.json', { signal });
    return response.ok ? await response.json() : null;
  }, []);
  const address: unknown = value?.data?.map_tiles_url;
  return typeof address === 'string' ? address : null;
}
