/** Backend of the base library that answers 503: where a path goes that must not be open, since what restricts it cannot be applied. */
export const closedBackend = 'haptic-closed';
