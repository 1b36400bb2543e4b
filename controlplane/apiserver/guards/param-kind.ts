/** Who writes an admission policy with parameters must be able to read all of their kind: what the policy says of requests tells of them (upstream's authz.go of policies). */
import { fieldForbidden, type FieldError } from '../../../api/field-error.ts';
import type { ParamKind } from '../../../api/gen/types.ts';
import { sameJson } from '../../../api/same-json.ts';
import { SUPERUSERS } from '../authz/chain.ts';
import type { Authorizer } from '../contracts.ts';
import { goUser } from './go-user.ts';
import type { Guard, GuardedWrite } from './guard.ts';
import { paramResource, type ResourceOfKind } from './param-resource.ts';

interface Deps {
	readonly authorizer: Authorizer;
	readonly resourceOf: ResourceOfKind;
}

export class ParamKindAccess implements Guard {
	readonly #deps: Deps;

	constructor(deps: Deps) {
		this.#deps = deps;
	}

	async faults(write: GuardedWrite, found: readonly FieldError[], signal: AbortSignal): Promise<readonly FieldError[]> {
		const kind = paramKindOf(write.object);
		if (found.length > 0 || write.subresource !== '' || kind === undefined || sameJson(kind, paramKindOf(write.oldObject))) return found;
		const why = await this.#refusal(kind, write, signal);
		return why === undefined ? found : [fieldForbidden('spec.paramKind', why)];
	}

	async #refusal(kind: ParamKind, { user }: GuardedWrite, signal: AbortSignal): Promise<string | undefined> {
		if (user.groups.includes(SUPERUSERS)) return undefined;
		const { complaint: _, ...resource } = paramResource(kind, this.#deps.resourceOf);
		const asked = { type: 'resource', user, verb: 'get', ...resource, subresource: '', namespace: '*', name: '*' } as const;
		const { allowed, error } = await this.#deps.authorizer.authorize(asked, signal);
		if (error !== undefined) return error;
		if (allowed) return undefined;
		return `user ${goUser(user)} must have "get" permission on all objects of the referenced paramKind (kind=${kind.kind}, apiVersion=${kind.apiVersion})`;
	}
}

function paramKindOf(policy: object | undefined): ParamKind | undefined {
	return (policy as { readonly spec?: { readonly paramKind?: ParamKind | null } } | undefined)?.spec?.paramKind ?? undefined;
}
