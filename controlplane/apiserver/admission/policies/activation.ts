/** What expressions of admission see of a request: the values of their variables. */
import type { Namespace } from '../../../../api/gen/types.ts';
import type { KubeObject } from '../../../../api/resource.ts';
import { authorizerValue, resourceCheckValue, type Decide } from '../../../../api/cel/admission/authorizer.ts';
import { NAMESPACE_TYPE, REQUEST_TYPE } from '../../../../api/cel/admission/types.ts';
import { fromJson } from '../../../../api/cel/json.ts';
import type { Value } from '../../../../api/cel/values.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import { kindNameOf, requestedOf, type Versioned } from '../matching/versions.ts';
import { requestFields } from '../matching/request-fields.ts';

export interface Seen {
	readonly attributes: AdmissionAttributes;
	readonly versioned: Versioned;
	/** Undefined for objects of the whole cluster. */
	readonly namespace: Namespace | undefined;
	/** Undefined where the binding gives none. */
	readonly params?: KubeObject | undefined;
}

/** What match conditions see: no namespace, and of the resource what was asked for. */
export function conditionsSeen(seen: Seen): Seen {
	const { attributes, versioned } = seen;
	const { group: kindGroup, version: kindVersion, kind } = kindNameOf(versioned.named);
	const { group, version, resource } = requestedOf(attributes);
	const named = { group, version, resource, kind, kindGroup, kindVersion };
	return { ...seen, versioned: { ...versioned, named }, namespace: undefined };
}

/** Values by name, each made when it is first asked for. */
export function variablesOf({ attributes, versioned, namespace, params }: Seen, decide: Decide): (name: string) => Value | undefined {
	const made = new Map<string, Value>();
	const make = (name: string): Value | undefined => {
		switch (name) {
			case 'object':
				return fromJson(versioned.object);
			case 'oldObject':
				return fromJson(versioned.oldObject);
			case 'request':
				return fromJson(requestFields(attributes, versioned.named), REQUEST_TYPE);
			case 'namespaceObject':
				return fromJson(namespace, NAMESPACE_TYPE);
			case 'params':
				return fromJson(params);
			case 'authorizer':
				return authorizerValue(decide);
			case 'authorizer.requestResource': {
				const { group, resource } = requestedOf(attributes);
				const { subresource, namespace: inNamespace, name: objectName } = attributes;
				return resourceCheckValue(decide, { group, resource, subresource, namespace: inNamespace, name: objectName });
			}
			default:
				return undefined;
		}
	};
	return (name) => {
		let value = made.get(name);
		if (value === undefined) {
			value = make(name);
			if (value !== undefined) made.set(name, value);
		}
		return value;
	};
}
