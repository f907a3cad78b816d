import { Observable } from 'rxjs';
import type { StreamNews, TapEvent } from './tap-event.ts';

/**
 * The values of taps, from the current ones on. Hot: ends with its subscription; the browser connects again by itself when the controller
 * goes away and comes back. Never errors, never completes.
 */
export function connect(taps: readonly string[]): Observable<StreamNews> {
  return new Observable<StreamNews>((subscriber) => {
    const query = taps.map((tap) => `tap=${encodeURIComponent(tap)}`).join('&');
    const source = new EventSource(`/debug/stream?${query}`);
    source.onopen = () => subscriber.next({ kind: 'connected' });
    source.onerror = () => subscriber.next({ kind: 'disconnected' });
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const parsed = JSON.parse(data) as Omit<TapEvent, 'size'>;
      subscriber.next({ kind: 'event', event: { ...parsed, size: data.length } });
    };
    source.addEventListener('dropped', ({ data }: MessageEvent<string>) => {
      subscriber.next({ kind: 'dropped', count: Number(data) });
    });
    return () => source.close();
  });
}
