/** A test for texts: `*` is any run of characters, `?` is one, anything else is itself. Time is text × pattern at worst. */
export function globPattern(pattern: string): (text: string) => boolean {
  return (text) => {
    let at = 0;
    let next = 0;
    // Where to go on when what follows the last star does not match: the star, one character further.
    let star = -1;
    let tried = 0;
    while (at < text.length) {
      const wanted = pattern[next];
      if (wanted === '*') {
        star = next++;
        tried = at;
      } else if (wanted === '?' || (wanted !== undefined && wanted === text[at])) {
        next++;
        at++;
      } else if (star >= 0) {
        next = star + 1;
        at = ++tried;
      } else return false;
    }
    while (pattern[next] === '*') next++;
    return next === pattern.length;
  };
}
