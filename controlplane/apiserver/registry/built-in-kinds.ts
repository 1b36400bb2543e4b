/** The kinds of the contract that are stored, and those that are another version of a stored one. */
import type { ResourceRow } from '../../../api/resources.ts';
import { HPA_CONVERSION } from './autoscaler-conversion.ts';
import { EVENT_CONVERSION } from './event-conversion.ts';
import { makeKind, type Converter, type Kind } from './kinds.ts';

export function builtInKinds(resources: readonly ResourceRow[]): readonly Kind[] {
	const kinds = new Map(resources.map((r) => [`${r.group}/${r.version}/${r.kind}`, makeKind(r)]));
	const stored = (name: string): Kind => kinds.get(name) as Kind;
	const other = (name: string, storedName: string, conversion: Converter): void => {
		const of = stored(storedName);
		kinds.set(name, { ...stored(name), strategy: of.strategy, prefix: of.prefix, conversion: { ...conversion, stored: of } });
	};
	other('events.k8s.io/v1/Event', '/v1/Event', EVENT_CONVERSION);
	other('autoscaling/v1/HorizontalPodAutoscaler', 'autoscaling/v2/HorizontalPodAutoscaler', HPA_CONVERSION);
	return [...kinds.values()];
}
