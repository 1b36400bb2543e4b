/** Which policies with which bindings and parameters look at a request, and what keeps one from looking. */
import type { KubeObject } from '../../../../api/resource.ts';
import type { MatchResources, ParamKind, ParamRef } from '../../../../api/gen/types.ts';
import { messageOf } from '../../../../base/errors.ts';
import type { AdmissionAttributes } from '../../contracts.ts';
import type { Kinds } from '../../registry/kinds.ts';
import { matchedBy, type Matching } from '../matching/resources.ts';
import { namespaceName } from '../matching/selectors.ts';
import type { Named } from '../matching/versions.ts';
import { paramKindOf, paramsOf } from './params.ts';

export interface Policy extends KubeObject {
	readonly spec?:
		| {
				readonly failurePolicy?: string | undefined;
				readonly matchConstraints?: MatchResources | undefined;
				readonly paramKind?: ParamKind | undefined;
		  }
		| undefined;
}

export interface Binding extends KubeObject {
	readonly spec?:
		| {
				readonly policyName?: string | undefined;
				readonly paramRef?: ParamRef | undefined;
				readonly matchResources?: MatchResources | undefined;
		  }
		| undefined;
}

export type Invocation<P, B> =
	| { readonly type: 'look'; readonly policy: P; readonly binding: B; readonly named: Named; readonly params: KubeObject | undefined }
	/** The policy or its binding is not set up right. */
	| { readonly type: 'broken'; readonly policy: P; readonly binding: B | undefined; readonly why: string };

/** In the order of policies and bindings by name. */
export async function invocations<P extends Policy, B extends Binding>(
	policies: readonly P[],
	bindings: readonly B[],
	attributes: AdmissionAttributes,
	deps: Matching & { readonly kinds: Kinds },
	signal: AbortSignal,
): Promise<readonly Invocation<P, B>[]> {
	const out: Invocation<P, B>[] = [];
	for (const policy of byName(policies)) {
		const own = bindings.filter((b) => b.spec?.policyName === policy.metadata.name);
		if (own.length === 0) continue;
		const broken = (why: unknown, binding?: B): void => {
			const what = binding === undefined ? 'policy' : 'binding';
			out.push({ type: 'broken', policy, binding, why: `failed to configure ${what}: ${messageOf(why)}` });
		};
		try {
			const named = matchedBy(policy.spec?.matchConstraints, attributes, deps);
			if (named === undefined) continue;
			const kind = paramKindOf(deps.kinds, policy.spec?.paramKind);
			for (const binding of byName(own))
				try {
					if (matchedBy(binding.spec?.matchResources, attributes, deps) === undefined) continue;
					for (const params of await paramsOf(deps.objects, kind, binding.spec?.paramRef, namespaceName(attributes), signal))
						out.push({ type: 'look', policy, binding, named, params });
				} catch (error) {
					signal.throwIfAborted();
					broken(error, binding);
				}
		} catch (error) {
			broken(error);
		}
	}
	return out;
}

function byName<T extends KubeObject>(objects: readonly T[]): readonly T[] {
	return objects.toSorted((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
}
