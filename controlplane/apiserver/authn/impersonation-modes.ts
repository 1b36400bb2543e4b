/**
 * The ways to be allowed to act as someone else. A constrained mode (nodes, service accounts, others) asks two things: whether the user may do
 * this while acting as such a one ("impersonate-on:MODE:VERB" on the request itself), and whether as this one ("impersonate:MODE"). The old way
 * asks for "impersonate" alone. Only who may all of it in one mode is let through.
 */
import type { StatusError } from '../../../api/status.ts';
import { dnsSubdomain } from '../../../api/validation/names.ts';
import { refused } from '../authz/forbidden.ts';
import type { Attributes, Decision, UserInfo } from '../contracts.ts';
import { ANONYMOUS, AUTHENTICATED, UNAUTHENTICATED } from './chain.ts';
import { refusedExtra } from './impersonated-extra.ts';
import { serviceAccountGroups, splitServiceAccount } from './service-account-claims.ts';

export interface Impersonated {
	readonly user: UserInfo;
	/** The verb that allowed it; undefined: the old one. */
	readonly constraint: string | undefined;
}

export interface Mode {
	/** Whether the mode is for this user at all. */
	applies(asked: UserInfo, requestor: UserInfo): boolean;
	/** StatusError Forbidden. */
	check(asked: UserInfo, asking: Attributes, signal: AbortSignal): Promise<Impersonated>;
}

type ResourceAttributes = Attributes & { readonly type: 'resource' };

interface Asks {
	authorize(attributes: Attributes, signal: AbortSignal): Promise<Decision>;
}

const NODE_PREFIX = 'system:node:';
const NODE_NAME = 'authentication.kubernetes.io/node-name';
const MASTERS = 'system:masters';
/** From so many on, it is asked first whether all of them are allowed. */
const MANY = 4;
const LEGACY = 'impersonate';

/** In the order they are tried. */
export function modes(asks: Asks): readonly Mode[] {
	return [
		constrained(associated(asks), 'associated-node', (asked, requestor) => onlyName(asked) && isItsNode(requestor, asked.name)),
		constrained(asks, 'arbitrary-node', (asked) => onlyName(asked) && nodeOf(asked.name) !== undefined),
		constrained(asks, 'serviceaccount', (asked) => onlyName(asked) && splitServiceAccount(asked.name) !== undefined),
		constrained(asks, 'user-info', ({ name }) => nodeOf(name) === undefined && splitServiceAccount(name) === undefined),
		{
			applies: () => true,
			check: (asked, asking, signal) => new Check(asks, LEGACY, signal).user(asked, asking.user),
		},
	];
}

function constrained(asks: Asks, mode: string, applies: Mode['applies']): Mode {
	return {
		applies,
		async check(asked, asking, signal) {
			const check = new Check(asks, `impersonate:${mode}`, signal);
			await check.may({ ...asking, verb: `impersonate-on:${mode}:${asking.verb}` });
			return check.user(asked, asking.user);
		},
	};
}

/** Of a service account and the node of its pod, whichever it is: neither the node nor what else is known of the token is asked about. */
function associated(asks: Asks): Asks {
	return {
		authorize(attributes, signal) {
			const keys = Object.keys(attributes.user.extra).toSorted();
			const user = { ...attributes.user, extra: { 'authentication.kubernetes.io/associated-node-keys': keys } };
			const named = attributes.verb === 'impersonate:associated-node' && attributes.type === 'resource';
			return asks.authorize(named ? { ...attributes, user, name: '*' } : { ...attributes, user }, signal);
		},
	};
}

function onlyName({ uid, groups, extra }: UserInfo): boolean {
	return uid === '' && groups.length === 0 && Object.keys(extra).length === 0;
}

function nodeOf(user: string): string | undefined {
	if (!user.startsWith(NODE_PREFIX)) return undefined;
	const name = user.slice(NODE_PREFIX.length);
	return dnsSubdomain(name).length === 0 ? name : undefined;
}

function isItsNode(requestor: UserInfo, user: string): boolean {
	const known = requestor.extra[NODE_NAME] ?? [];
	return splitServiceAccount(requestor.name) !== undefined && known.length === 1 && known[0] === nodeOf(user);
}

/** The questions of one attempt, all with one verb. */
class Check {
	readonly #asks: Asks;
	readonly #verb: string;
	readonly #signal: AbortSignal;

	constructor(asks: Asks, verb: string, signal: AbortSignal) {
		this.#asks = asks;
		this.#verb = verb;
		this.#signal = signal;
	}

	get #isConstrained(): boolean {
		return this.#verb !== LEGACY;
	}

	async user(asked: UserInfo, requestor: UserInfo): Promise<Impersonated> {
		const group = this.#isConstrained ? 'authentication.k8s.io' : '';
		const one = (resource: string, name: string): ResourceAttributes => this.#attributes(requestor, group, resource, name);
		const account = splitServiceAccount(asked.name);
		const node = this.#isConstrained ? nodeOf(asked.name) : undefined;
		if (account !== undefined) await this.may({ ...one('serviceaccounts', account.name), namespace: account.namespace });
		else await this.may(node === undefined ? one('users', asked.name) : one('nodes', node));
		if (asked.uid !== '') await this.may(this.#attributes(requestor, 'authentication.k8s.io', 'uids', asked.uid));
		await this.#groups(asked.groups, (name) => one('groups', name));
		await this.#extra(asked.extra, this.#attributes(requestor, 'authentication.k8s.io', 'userextras', ''));
		const known = node !== undefined ? ['system:nodes'] : account === undefined ? [] : serviceAccountGroups(account.namespace);
		const user = { ...asked, groups: completed(asked.name, asked.groups.length > 0 ? asked.groups : known) };
		return { user, constraint: this.#isConstrained ? this.#verb : undefined };
	}

	async #groups(groups: readonly string[], one: (name: string) => ResourceAttributes): Promise<void> {
		if (this.#isConstrained) {
			if (groups.includes('')) throw refused(one(''), 'impersonating the empty string group is not allowed');
			if (groups.includes(MASTERS)) throw refused(one(MASTERS), 'impersonating the system:masters group is not allowed');
			if (groups.length >= MANY && (await this.#ask(one('*'))) === undefined) return;
		}
		for (const name of groups) await this.may(one(name));
	}

	async #extra(extra: UserInfo['extra'], attributes: ResourceAttributes): Promise<void> {
		const all = Object.entries(extra);
		if (this.#isConstrained && all.length > 0) {
			const why = refusedExtra(extra);
			if (why !== undefined) throw refused(attributes, why);
			const count = all.reduce((sum, [, values]) => sum + values.length, 0);
			const isLarge = all.length >= MANY || count >= MANY;
			if (isLarge && (await this.#ask({ ...attributes, subresource: '*', name: '*' })) === undefined) return;
		}
		for (const [key, values] of all) for (const name of values) await this.may({ ...attributes, subresource: key, name });
	}

	#attributes(user: UserInfo, group: string, resource: string, name: string): ResourceAttributes {
		return { type: 'resource', user, verb: this.#verb, group, version: 'v1', resource, subresource: '', namespace: '', name };
	}

	async may(attributes: Attributes): Promise<void> {
		const why = await this.#ask(attributes);
		if (why !== undefined) throw why;
	}

	/** Why not; undefined when it is allowed. */
	async #ask(attributes: Attributes): Promise<StatusError | undefined> {
		const { allowed, reason, error } = await this.#asks.authorize(attributes, this.#signal);
		if (allowed) return undefined;
		return refused(attributes, [error ?? '', reason].filter((text) => text !== '').join(': '));
	}
}

/** With the group that authentication would have added. */
function completed(name: string, groups: readonly string[]): readonly string[] {
	const added = name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
	return groups.includes(UNAUTHENTICATED) || groups.includes(added) ? groups : [...groups, added];
}
