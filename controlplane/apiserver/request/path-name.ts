/** Names that become parts of a key: in a path, or in what is posted (upstream's NamespaceKeyFunc and IsPathSegmentName). Pure. */
import { goQuote } from '../../../api/go-quote.ts';
import { badRequest } from '../../../api/status.ts';

const FORBIDDEN = ['/', '%'];

/** StatusError BadRequest for none, and for what cannot be a part of a path. */
export function checkPathName(name: string): void {
	if (name === '') throw badRequest('Name parameter required.');
	const wrong =
		name === '.' || name === '..'
			? [`may not be '${name}'`]
			: FORBIDDEN.filter((c) => name.includes(c)).map((c) => `may not contain '${c}'`);
	if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`);
}
