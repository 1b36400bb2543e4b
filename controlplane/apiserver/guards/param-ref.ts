/** Who binds an admission policy to parameters must be able to read these (upstream's authz.go of bindings). */
import { fieldForbidden, type FieldError } from '../../../api/field-error.ts';
import type { ParamKind, ParamRef } from '../../../api/gen/types.ts';
import type { Resource } from '../../../api/resource.ts';
import { MUTATING_ADMISSION_POLICIES } from '../../../api/resources.ts';
import { SUPERUSERS } from '../authz/chain.ts';
import type { Authorizer, ObjectReader } from '../contracts.ts';
import { goUser } from './go-user.ts';
import type { Guard, GuardedWrite } from './guard.ts';
import { paramResource, type ParamResource, type ResourceOfKind } from './param-resource.ts';

interface Deps {
	readonly authorizer: Authorizer;
	readonly objects: ObjectReader;
	readonly resourceOf: ResourceOfKind;
}

interface BindingSpec {
	readonly policyName?: string;
	readonly paramRef?: ParamRef | null;
}

/** Asks at every update: upstream compares what before and after point to, which is never the same. */
export class ParamRefAccess implements Guard {
	readonly #deps: Deps;
	readonly #policies: Resource;

	constructor(deps: Deps, policies: Resource) {
		this.#deps = deps;
		this.#policies = policies;
	}

	async faults(write: GuardedWrite, found: readonly FieldError[], signal: AbortSignal): Promise<readonly FieldError[]> {
		const { policyName = '', paramRef } = (write.object as { readonly spec?: BindingSpec } | undefined)?.spec ?? {};
		if (found.length > 0 || (paramRef ?? undefined) === undefined) return found;
		const why = await this.#refusal(policyName, paramRef as ParamRef, write, signal);
		return why === undefined ? found : [fieldForbidden('spec.paramRef', why)];
	}

	async #refusal(policy: string, ref: ParamRef, { user }: GuardedWrite, signal: AbortSignal): Promise<string | undefined> {
		if (user.groups.includes(SUPERUSERS)) return undefined;
		const { complaint, ...resource } = await this.#resource(policy, signal);
		const { name = '', namespace = '' } = ref;
		const verb = name === '' ? 'list' : 'get';
		const asked = { type: 'resource', user, verb, ...resource, subresource: '', namespace, name } as const;
		const { allowed, error } = await this.#deps.authorizer.authorize(asked, signal);
		const isMutating = this.#policies.plural === MUTATING_ADMISSION_POLICIES.plural;
		if (error !== undefined) return isMutating ? error : `failed to authorize request: ${error}`;
		if (allowed) return undefined;
		const who = goUser(user);
		if (complaint !== undefined)
			return `unable to ${complaint} to determine minimum required permissions and user ${who} does not have "${verb}" permission for all groups, versions and resources`;
		// Of mutating policies, upstream's words have changed places.
		const [first, second] = isMutating ? [verb, who] : [who, verb];
		return `user ${first} does not have "${second}" permission on the object referenced by paramRef`;
	}

	async #resource(name: string, signal: AbortSignal): Promise<ParamResource> {
		const { objects, resourceOf } = this.#deps;
		// Another server may have changed it.
		await objects.fresh?.(signal);
		const policy = objects.get(this.#policies, name) as { readonly spec?: { readonly paramKind?: ParamKind } } | undefined;
		const found = paramResource(policy?.spec?.paramKind, resourceOf);
		return policy === undefined ? { ...found, complaint: `get policy ${name}` } : found;
	}
}
