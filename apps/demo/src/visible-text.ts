/**
 * Text that cannot steer a terminal: control characters, and those that turn the direction of
 * writing, are shown by name. Newlines and tabs stay.
 */
export function visibleText(text: string): string {
  return text.replaceAll(STEERING, (character) => {
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(CONTROL_PICTURES + code);
    if (code === 0x7f) return "␡";
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}

const CONTROL_PICTURES = 0x2400;
const STEERING =
  // oxlint-disable-next-line no-control-regex -- they are what it is for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
