/** The resource of a kind, as discovery tells it (upstream's discovery resource resolver). */
import type { KindName } from '../../../api/kind-name.ts';
import type { AggregatedSource, DiscoverySource } from './source.ts';

/** Undefined where nothing of the kind is served, or its server cannot be asked. */
export function resourceOfKind(
	source: DiscoverySource,
	aggregated: Pick<AggregatedSource, 'remoteVersions'>,
): (name: KindName) => string | undefined {
	return ({ group, version, kind }) => {
		const remote = aggregated.remoteVersions().find((one) => one.group === group && one.version === version);
		if (remote === undefined)
			return source.resources().find((one) => one.group === group && one.version === version && one.kind === kind)?.plural;
		const isSame = (own: string | undefined, asked: string): boolean => own === undefined || own === '' || own === asked;
		const found = remote.resources.find(({ responseKind }) => {
			if (responseKind?.kind !== kind) return false;
			return isSame(responseKind.group, group) && isSame(responseKind.version, version);
		});
		return found?.resource;
	};
}
