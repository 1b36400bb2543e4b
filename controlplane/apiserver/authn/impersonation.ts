/**
 * Acting as someone else: the Impersonate-* headers. Who asks must be allowed to be that user in one of the modes (impersonation-modes.ts),
 * which are tried in their order, the one that last worked for the asking user first (upstream's filters/impersonation).
 */
import { badRequest } from '../../../api/status.ts';
import type { Clock } from '../../../base/clock.ts';
import { Lru } from '../../../base/lru.ts';
import { Refusal } from '../authz/forbidden.ts';
import type { Attributes, Authorizer, HeaderLines, UserInfo } from '../contracts.ts';
import type { ImpersonationMetrics } from '../metrics/impersonation-metrics.ts';
import { headerValue, headerValues, unescapedKey, type Headers } from './header-values.ts';
import { modes, type Impersonated, type Mode } from './impersonation-modes.ts';
import { setOwn } from '../../../api/own-field.ts';

const EXTRA_PREFIX = 'impersonate-extra-';
/** Users whose last mode is remembered. */
const REMEMBERED = 10_000;

interface Deps {
	readonly authorizer: Authorizer;
	readonly clock: Clock;
	readonly metrics?: ImpersonationMetrics | undefined;
}

export class Impersonation {
	readonly #deps: Deps;
	readonly #modes: readonly Mode[];
	readonly #last = new Lru<string, Mode>(REMEMBERED);

	constructor(deps: Deps) {
		this.#deps = deps;
		this.#modes = modes({
			authorize: async (attributes, signal) => {
				const started = deps.clock.monotonic();
				const decision = await deps.authorizer.authorize(attributes, signal);
				deps.metrics?.authorization(attributes.verb, decision.allowed, (deps.clock.monotonic() - started) / 1000);
				return decision;
			},
		});
	}

	/** @param asking the request as the real user would send it. Undefined: no header asks. StatusError BadRequest, Forbidden */
	async become(
		headers: Headers,
		lines: HeaderLines | undefined,
		asking: Attributes,
		signal: AbortSignal,
	): Promise<Impersonated | undefined> {
		const asked = askedUser(headers, lines);
		if (asked === undefined) return undefined;
		if (asked.name === '') throw new Refusal(badRequest(`requested ${goText(asked)} without impersonating a user name`).status);
		const { clock, metrics } = this.#deps;
		const started = clock.monotonic();
		const seconds = (): number => (clock.monotonic() - started) / 1000;
		try {
			const found = await this.#tried(asked, asking, signal);
			metrics?.attempt(found.constraint, true, seconds());
			return found;
		} catch (error) {
			metrics?.attempt(undefined, false, seconds());
			throw error;
		}
	}

	async #tried(asked: UserInfo, asking: Attributes, signal: AbortSignal): Promise<Impersonated> {
		const last = this.#last.get(asking.user.name);
		const ordered = last === undefined ? this.#modes : [last, ...this.#modes.filter((mode) => mode !== last)];
		let first: unknown;
		for (const mode of ordered) {
			if (!mode.applies(asked, asking.user)) continue;
			try {
				const found = await mode.check(asked, asking, signal);
				this.#last.set(asking.user.name, mode);
				return found;
			} catch (error) {
				first ??= error;
			}
		}
		throw first;
	}
}

/** The headers as a user; undefined when none is there. */
export function askedUser(headers: Headers, lines?: HeaderLines): UserInfo | undefined {
	const extra: Record<string, readonly string[]> = {};
	for (const name of Object.keys(headers))
		if (name.startsWith(EXTRA_PREFIX)) setOwn(extra, unescapedKey(name.slice(EXTRA_PREFIX.length)), headerValues(headers, name, lines));
	const name = headerValue(headers, 'impersonate-user', lines);
	const uid = headerValue(headers, 'impersonate-uid', lines);
	const groups = headerValues(headers, 'impersonate-group', lines);
	if (name === '' && uid === '' && groups.length === 0 && Object.keys(extra).length === 0) return undefined;
	return { name, uid, groups, extra };
}

/** The user as Go's %#v prints it, which upstream's message shows. */
function goText(user: UserInfo): string {
	const strings = (list: readonly string[]): string => `[]string{${list.map((s) => JSON.stringify(s)).join(', ')}}`;
	const groups = user.groups.length === 0 ? '[]string(nil)' : strings(user.groups);
	const entries = Object.entries(user.extra).sort(([a], [b]) => (a < b ? -1 : 1));
	const extra =
		entries.length === 0
			? 'map[string][]string(nil)'
			: `map[string][]string{${entries.map(([k, v]) => `${JSON.stringify(k)}:${strings(v)}`).join(', ')}}`;
	return `&user.DefaultInfo{Name:${JSON.stringify(user.name)}, UID:${JSON.stringify(user.uid)}, Groups:${groups}, Extra:${extra}}`;
}
