/** One answer of the debug pages as JSON. Rejects with the controller's own words. */
export async function ask<T>(path: string): Promise<T> {
  const response = await fetch(`/debug/${path}`);
  const answer = (await response.json()) as T & { readonly error?: string };
  if (response.ok) return answer;
  throw new Error(answer.error ?? `${response.status} ${response.statusText}`);
}
