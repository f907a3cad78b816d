import type { Dispatcher } from 'undici';

/**
 * A dispatcher whose requests are asked once more, right before their first byte goes to a connection, whether they may
 * leave: credentials that took long, a queue, a handshake or a stopped process may lie between a request and its bytes. One
 * that may not ends with the error of `refusal`, and its connection stays usable.
 *
 * What was handed to the connection before cannot be taken back.
 */
export function fencedDispatcher(
  dispatcher: Dispatcher,
  mayLeave: () => boolean,
  refusal: () => Error,
): Dispatcher {
  return dispatcher.compose(
    (dispatch) => (options, handler) =>
      dispatch(options, {
        onRequestStart: (controller, context) => {
          // An error at this point ends the request alone; `controller.abort` would take the connection along.
          if (!mayLeave()) throw refusal();
          handler.onRequestStart?.(controller, context);
        },
        onRequestUpgrade: (...args) => handler.onRequestUpgrade?.(...args),
        onResponseStarted: () => handler.onResponseStarted?.(),
        onResponseStart: (...args) => handler.onResponseStart?.(...args),
        onResponseData: (...args) => handler.onResponseData?.(...args),
        onResponseEnd: (...args) => handler.onResponseEnd?.(...args),
        onResponseError: (...args) => handler.onResponseError?.(...args),
        onRequestSent: () => handler.onRequestSent?.(),
      }),
  );
}
