/** Authorization checks inside expressions: answered at once where the authorizer can; else the evaluation stops, the answer is fetched, and it runs again. */
import type { AuthorizationCheck, AuthorizationDecision, Decide } from '../../../../api/cel/admission/authorizer.ts';
import { messageOf } from '../../../../base/errors.ts';
import { pinnedFields } from '../../authz/pinned-fields.ts';
import { selectorsOf } from '../../authz/selectors.ts';
import type { Attributes, Authorizer, Decision, UserInfo } from '../../contracts.ts';

class DecisionNeeded extends Error {
	override readonly name = 'DecisionNeeded';
	readonly key: string;
	readonly attributes: Attributes;
	constructor(key: string, attributes: Attributes) {
		super('an authorization decision is needed');
		this.key = key;
		this.attributes = attributes;
	}
}

/** Runs `evaluate` with a way to decide; again after every decision that had to be waited for. It must have no effects before it returns. */
export async function withDecisions<T>(
	authorizer: Authorizer,
	user: UserInfo,
	signal: AbortSignal,
	evaluate: (decide: Decide) => T,
): Promise<T> {
	const known = new Map<string, AuthorizationDecision>();
	const decide: Decide = (check) => {
		const key = JSON.stringify(check);
		const before = known.get(key);
		if (before !== undefined) return before;
		const attributes = attributesOf(check, user);
		if (authorizer.decide === undefined) throw new DecisionNeeded(key, attributes);
		const decided = shown(authorizer.decide(attributes));
		known.set(key, decided);
		return decided;
	};
	for (;;) {
		try {
			return evaluate(decide);
		} catch (error) {
			if (!(error instanceof DecisionNeeded)) throw error;
			known.set(error.key, await authorizer.authorize(error.attributes, signal).then(shown, failed));
			signal.throwIfAborted();
		}
	}
}

function shown({ allowed, reason }: Decision): AuthorizationDecision {
	return { allowed, reason, error: '' };
}

function failed(error: unknown): AuthorizationDecision {
	return { allowed: false, reason: '', error: messageOf(error) };
}

function attributesOf(check: AuthorizationCheck, caller: UserInfo): Attributes {
	const { serviceAccount, verb, path, group = '', resource = '', subresource = '', namespace = '', name = '' } = check;
	const user = serviceAccount === undefined ? caller : accountUser(serviceAccount);
	if (path !== undefined) return { type: 'path', user, verb, path };
	const asked = { type: 'resource', user, verb, group, version: '*', resource, subresource, namespace, name } as const;
	const { fieldSelector: fields } = check;
	return fields === undefined ? asked : { ...asked, pinned: pinnedFields(fields), selectors: () => selectorsOf(fields, '') };
}

function accountUser({ namespace, name }: { readonly namespace: string; readonly name: string }): UserInfo {
	const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
	return { name: `system:serviceaccount:${namespace}:${name}`, uid: '', groups, extra: {} };
}
