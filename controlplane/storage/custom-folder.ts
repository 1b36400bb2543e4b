/** Where custom resources stand in the store: below their group, as upstream has them, and apart from a built-in resource of the same name. */
import { RESOURCES } from '../../api/resources.ts';

/** Built-in resources that upstream keeps in the very folder of a custom resource of the same name (OverlappingBuiltInResources). */
export const OVERLAPPING: ReadonlySet<string> = new Set([
	'apiservices.apiregistration.k8s.io',
	'customresourcedefinitions.apiextensions.k8s.io',
]);

/** In no plural, so that no other folder is called so. */
const MARK = ':custom';
const BUILT_IN = new Set(RESOURCES.map(({ group, plural }) => `/${group}/${plural}/`));

/** "/c.io/things/"; "/node.k8s.io/runtimeclasses:custom/" beside the built-in "/node.k8s.io/runtimeclasses/". */
export function customFolder(group: string, plural: string): string {
	const folder = `/${group}/${plural}/`;
	return BUILT_IN.has(folder) && !OVERLAPPING.has(`${plural}.${group}`) ? `/${group}/${plural}${MARK}/` : folder;
}

/** Of a key of the store, or of its beginning: as upstream has it. */
export const unmarked = (key: string): string => key.replace(`${MARK}/`, '/');
