/** Which discovery document an Accept header asks for, and what paths outside of resources refuse. Pure. */
import { notAcceptable } from '../../../api/status.ts';
import { MEDIA_TYPES as TYPES, parseAccept, type AcceptClause, type MediaType } from '../answer/accept.ts';
import type { AggregatedVersion } from './aggregated.ts';

export type Wanted =
	| { readonly form: 'aggregated'; readonly version: AggregatedVersion; readonly mediaType: MediaType }
	| { readonly form: 'plain' };

/** Parameters that ask for another form of an answer. */
const CONVERSION = ['as', 'g', 'v'];

/** An aggregated document wins wherever it stands in the header. StatusError NotAcceptable. */
export function wantedForm(accept: string | undefined): Wanted {
	const clauses = parseAccept(accept);
	const plain = clauses.some(isPlain);
	for (const version of ['v2', 'v2beta1'] as const) {
		const asked = clauses.find((clause) => isAggregated(clause, version) && typeOf(clause) !== undefined);
		const mediaType = asked === undefined ? undefined : typeOf(asked);
		// Upstream has v2beta1 no more; clients of its time take plain documents, too, and get what they like better.
		if (mediaType !== undefined && (version === 'v2' || plain)) return { form: 'aggregated', version, mediaType };
	}
	if (!plain) throw notAcceptable(TYPES);
	return { form: 'plain' };
}

/** Documents of single groups know no other form. StatusError NotAcceptable. */
export function refuseConversion(accept: string | undefined): void {
	if (!parseAccept(accept).some(isPlain)) throw notAcceptable(TYPES);
}

function isPlain(clause: AcceptClause): boolean {
	const type = typeOf(clause);
	const stream = clause.params.get('stream') ?? '';
	if (type === undefined || (stream !== '' && (stream !== 'watch' || type === 'application/yaml'))) return false;
	return CONVERSION.every((name) => (clause.params.get(name) ?? '') === '');
}

function isAggregated({ params }: AcceptClause, version: AggregatedVersion): boolean {
	return params.get('as') === 'APIGroupDiscoveryList' && params.get('g') === 'apidiscovery.k8s.io' && params.get('v') === version;
}

function typeOf({ type }: AcceptClause): MediaType | undefined {
	return type === '*/*' || type === 'application/*' ? 'application/json' : TYPES.find((one) => one === type);
}
