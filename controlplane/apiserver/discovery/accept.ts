/** Which discovery document an Accept header asks for. Pure. */
import type { AggregatedVersion } from './aggregated.ts';

export type Wanted = { readonly form: 'aggregated'; readonly version: AggregatedVersion } | { readonly form: 'plain' };

/** The first media type that can be served, in the client's order; upstream ignores q values here too. */
export function wantedForm(accept: string | undefined): Wanted {
	for (const clause of (accept ?? '').split(',')) {
		const [type = '', ...rest] = clause.split(';').map((part) => part.trim());
		const params = new Map(rest.map((part) => part.split('=', 2) as [string, string]));
		if (params.get('as') !== 'APIGroupDiscoveryList' || params.get('g') !== 'apidiscovery.k8s.io') {
			if (type !== '') return { form: 'plain' };
			continue;
		}
		const version = params.get('v');
		if (type === 'application/json' && (version === 'v2' || version === 'v2beta1')) return { form: 'aggregated', version };
	}
	return { form: 'plain' };
}

/** Types of the documents of single groups, which know no aggregated form. */
export const PLAIN_TYPES = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'] as const;

/** False when every type that is asked for is a converted one (`;as=…`). */
export function acceptsPlain(accept: string | undefined): boolean {
	const clauses = (accept ?? '').split(',').filter((clause) => clause.trim() !== '');
	return clauses.length === 0 || clauses.some((clause) => !/;\s*as=/.test(clause));
}
