/** The kinds that a rule's resource may mean, as upstream's REST mapper reads it. Pure. */
import type { KindName, ResourceName } from '../../../api/cel/admission/type-check.ts';
import type { DiscoveredResource } from '../discovered.ts';

/** The core group has no name, and no name is any group: "deployments" of "" are those of apps too. Singular names do as well. */
export function kindsFor(served: readonly DiscoveredResource[], { group, version, resource }: ResourceName): readonly KindName[] {
	const name = resource.toLowerCase();
	return served
		.filter((one) => (group === '' || one.group === group) && one.version === version)
		.filter((one) => one.plural === name || one.kind.toLowerCase() === name)
		.map(({ group: ofGroup, version: ofVersion, kind }) => ({ group: ofGroup, version: ofVersion, kind }));
}
