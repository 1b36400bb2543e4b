/** Names that upstream's own clients, which its admission plugins ask with, do not put into a path. */
import { goQuote } from '../../../api/go-quote.ts';
import { pathSegment } from '../../../api/validation/names.ts';

/** What is wrong with the name, in the clients' words; undefined for one that can be asked for. */
export function unaskable(name: string): string | undefined {
	if (name === '') return 'resource name may not be empty';
	const faults = pathSegment(name);
	return faults.length === 0 ? undefined : `invalid resource name ${goQuote(name)}: [${faults.join(' ')}]`;
}
