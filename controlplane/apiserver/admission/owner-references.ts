/** OwnerReferencesPermissionEnforcement: who changes owners may delete the object, and who blocks an owner's deletion may set its finalizers. */
import type { OwnerReference } from '../../../api/gen/types.ts';
import type { KubeObject } from '../../../api/resource.ts';
import { sameJson } from '../../../api/same-json.ts';
import type { AdmissionAttributes, AdmissionPlugin, Authorizer, Decision } from '../contracts.ts';
import type { Kinds } from '../registry/kinds.ts';
import { refusal } from './refusal.ts';
import { isFor } from './target.ts';

export function ownerReferences(authorizer: Authorizer, kinds: Kinds): AdmissionPlugin {
	return {
		name: 'OwnerReferencesPermissionEnforcement',
		handles: (attributes) =>
			(attributes.operation === 'CREATE' || attributes.operation === 'UPDATE') && !isFor(attributes, '', 'pods', 'status'),
		async validate(attributes, signal) {
			const { operation, user, group, version, resource, subresource, namespace, name, oldObject } = attributes;
			const refs = ownersOf(attributes.object);
			const before = ownersOf(oldObject);
			if (sameJson(refs, before)) return;
			if (operation !== 'CREATE') {
				const target = { type: 'resource', user, verb: 'delete', group, version, resource, subresource, namespace, name } as const;
				const decision = await authorizer.authorize(target, signal);
				if (!decision.allowed) throw refusal(attributes, `cannot set an ownerRef on a resource you can't delete: ${why(decision)}`);
			}
			const blocking = refs.filter((ref) => blocks(ref) && !before.some((old) => old.uid === ref.uid && blocks(old)));
			if (blocking.length === 0) return;
			const finalizers = { type: 'resource', user, verb: 'update', subresource: 'finalizers' } as const;
			const anything = { ...finalizers, group: '*', version: '*', resource: '*', namespace: '', name: '*' };
			if ((await authorizer.authorize(anything, signal)).allowed) return;
			for (const ref of blocking)
				for (const owner of ownersKinds(kinds, ref, attributes)) {
					const decision = await authorizer.authorize({ ...finalizers, ...owner, name: ref.name }, signal);
					if (decision.allowed) continue;
					const text = `cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on`;
					throw refusal(attributes, `${text}: ${why(decision)}`);
				}
		},
	};
}

const ownersOf = (object: KubeObject | undefined): readonly OwnerReference[] => object?.metadata?.ownerReferences ?? [];
const blocks = ({ blockOwnerDeletion }: OwnerReference): boolean => blockOwnerDeletion === true;
const why = ({ reason, error }: Decision): string => `${reason}, ${error ?? '<nil>'}`;

/** The resources of the owner's kind; StatusError Forbidden where it has none. */
function ownersKinds(
	kinds: Kinds,
	{ apiVersion, kind }: OwnerReference,
	attributes: AdmissionAttributes,
): readonly { readonly group: string; readonly version: string; readonly resource: string; readonly namespace: string }[] {
	const [version = '', group = ''] = apiVersion.split('/').toReversed();
	const found = [...kinds.all()]
		.map((served) => served.resource)
		.filter((resource) => resource.group === group && resource.version === version && resource.kind === kind);
	if (found.length === 0) {
		const missing = `no matches for kind ${JSON.stringify(kind)} in version ${JSON.stringify(apiVersion)}`;
		const text = `cannot set blockOwnerDeletion in this case because cannot find RESTMapping for APIVersion ${apiVersion} Kind ${kind}`;
		throw refusal(attributes, `${text}: ${missing}`);
	}
	// A namespaced owner is in the dependent's namespace.
	return found.map(({ plural, namespaced }) => ({ group, version, resource: plural, namespace: namespaced ? attributes.namespace : '' }));
}
