/** Namespace and object selectors of webhooks and policies. */
import type { LabelSelector, Namespace } from '../../../../api/gen/types.ts';
import { NAMESPACES } from '../../../../api/resources.ts';
import { matchesLabelSelector } from '../../../../api/selector/label.ts';
import { notFound } from '../../../../api/status.ts';
import type { AdmissionAttributes, ObjectReader } from '../../contracts.ts';

interface Selectors {
	readonly namespaceSelector?: LabelSelector | undefined;
	readonly objectSelector?: LabelSelector | undefined;
}

function isNamespace({ group, resource, subresource }: AdmissionAttributes): boolean {
	return group === '' && resource === 'namespaces' && subresource === '';
}

/** The namespace of the request; a namespace is its own. '' for other objects of the whole cluster. */
export function namespaceName(attributes: AdmissionAttributes): string {
	const { group, resource, namespace, name } = attributes;
	return group === '' && resource === 'namespaces' ? name : namespace;
}

/** Undefined where there is none: for objects of the whole cluster, and for namespaces themselves. */
export function namespaceOf(attributes: AdmissionAttributes, objects: ObjectReader): Namespace | undefined {
	return attributes.namespace === '' || isNamespace(attributes) ? undefined : objects.get(NAMESPACES, attributes.namespace);
}

/** StatusError NotFound for a namespace that is gone. */
export function matchesNamespaceSelector(
	{ namespaceSelector }: Selectors,
	attributes: AdmissionAttributes,
	objects: ObjectReader,
): boolean {
	const { operation, object } = attributes;
	const name = namespaceName(attributes);
	if (name === '' || isEmpty(namespaceSelector)) return true;
	const fresh = isNamespace(attributes) && operation !== 'DELETE' ? object : undefined;
	const labels = fresh === undefined ? objects.get(NAMESPACES, name)?.metadata : fresh.metadata;
	if (labels === undefined) throw notFound(NAMESPACES, name);
	return matchesLabelSelector(namespaceSelector, labels.labels ?? {});
}

/** The object as it was or as it will be. */
export function matchesObjectSelector({ objectSelector }: Selectors, { object, oldObject }: AdmissionAttributes): boolean {
	if (isEmpty(objectSelector)) return true;
	return [object, oldObject].some((o) => o?.metadata !== undefined && matchesLabelSelector(objectSelector, o.metadata.labels ?? {}));
}

function isEmpty(selector: LabelSelector | undefined): boolean {
	return Object.keys(selector?.matchLabels ?? {}).length === 0 && (selector?.matchExpressions ?? []).length === 0;
}
