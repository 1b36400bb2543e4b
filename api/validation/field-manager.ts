/** Names of those who own fields, in queries and in metadata.managedFields (apimachinery ValidateFieldManager). */
import { tooLong } from '../field-error.ts';
import { texts, type Errors } from './rule.ts';

const MAX_BYTES = 128;

export function fieldManager(out: Errors, path: string, name: string): void {
	if (Buffer.byteLength(name) > MAX_BYTES) out.push(tooLong(path, MAX_BYTES));
	if (/^[\x20-\x7e]*$/.test(name)) return;
	let at = 0;
	for (const char of name) {
		if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(char)) {
			const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
			texts(out, path, name, [`invalid character U+${code} (at position ${at})`]);
		}
		at += Buffer.byteLength(char);
	}
}
