/** The kinds that are served, as discovery shows them: built-in ones, and custom ones as they come and go. */
import type { Kinds } from '../registry/kinds.ts';
import type { ResourceRow } from '../../../api/resource.ts';
import { servedResources } from './served-resources.ts';
import type { DiscoverySource, ServedResource } from './source.ts';

/** Of a kind whose definition is going. Patches and updates are taken all the same. */
const LAST_VERBS = ['delete', 'deletecollection', 'get', 'list', 'watch'];

export function servedKinds(kinds: Kinds): DiscoverySource {
	const builtIn = servedResources();
	let made: readonly ServedResource[] = builtIn;
	let revision: number | undefined;
	return {
		resources() {
			if (revision !== kinds.revision) {
				revision = kinds.revision;
				const custom = [...kinds.all()].flatMap(({ resource, custom: own }) =>
					own === undefined ? [] : [{ ...(resource as ResourceRow), ...(own.isTerminating ? { verbs: LAST_VERBS } : {}) }],
				);
				made = [...builtIn, ...servedResources(custom, true)];
			}
			return made;
		},
	};
}
