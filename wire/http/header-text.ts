/** Texts in headers are UTF-8, as Go writes and reads them; Node.js has a character for each byte. Pure. */

/** As Node.js is to be given it. */
export function toHeader(text: string): string {
	return /[^\u0020-\u007e]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

/** As it was meant. */
export function fromHeader(value: string): string {
	return /[\u0080-\u00ff]/.test(value) ? Buffer.from(value, 'latin1').toString() : value;
}
