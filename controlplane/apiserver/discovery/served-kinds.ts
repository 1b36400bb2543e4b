/** The kinds that are served, as discovery shows them: built-in ones, and custom ones as they come and go. */
import type { Kinds } from '../registry/kinds.ts';
import type { ResourceRow } from '../../../api/resource.ts';
import { builtInResources } from './built-in.ts';
import type { DiscoverySource, ServedResource } from './source.ts';

export function servedKinds(kinds: Kinds): DiscoverySource {
	const builtIn = builtInResources();
	let made: readonly ServedResource[] = builtIn;
	let revision: number | undefined;
	return {
		resources() {
			if (revision !== kinds.revision) {
				revision = kinds.revision;
				const custom = [...kinds.all()].filter((kind) => kind.custom !== undefined);
				const rows = custom.map(({ resource }) => resource as ResourceRow);
				made = [...builtIn, ...builtInResources(rows, true)];
			}
			return made;
		},
	};
}
