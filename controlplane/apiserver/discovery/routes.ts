/** Every path that is no resource: discovery, health, version, metrics, OpenID documents, and "/" which lists them. */
import type { Clock } from '../../../base/clock.ts';
import type { Handler } from '../contracts.ts';
import type { Discovery } from './discovery.ts';
import type { Health } from './health.ts';
import { flagzHandler, statuszHandler } from './zpages.ts';

interface Deps {
	readonly discovery: Discovery;
	readonly health: Health;
	/** Handlers of single paths: /version, /metrics, /openid/v1/jwks, /openapi/v3, … */
	readonly others: ReadonlyMap<string, Handler>;
	readonly clock: Clock;
	/** What the server was started with, for /flagz. */
	readonly flags: Readonly<Record<string, string>>;
}

/** Nothing is below them, no empty name either. */
const EXACT = new Set(['/statusz', '/flagz', '/metrics', '/openapi/v2']);

/** Finds the handler of a non-resource path. */
export function nonResourceRoutes(deps: Deps): (path: string) => Handler | undefined {
	const { discovery, health } = deps;
	const others = new Map(deps.others);
	const listed = (): readonly string[] => {
		const told = [...discovery.paths(), '/apis/', ...health.paths(), ...others.keys()].filter((path) => !path.startsWith('/debug/'));
		return [...new Set(told)].sort();
	};
	others.set('/statusz', statuszHandler(deps.clock, listed));
	others.set('/flagz', flagzHandler(deps.flags));
	const root: Handler = () => {
		const paths = listed();
		return Promise.resolve({
			type: 'bytes',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: Buffer.from(JSON.stringify({ paths }, undefined, 2)),
		});
	};
	/** A handler whose path ends in a slash serves everything below it. */
	const folders = [...others.keys()].filter((path) => path.endsWith('/'));
	const under = (path: string): Handler | undefined => others.get(folders.find((folder) => path.startsWith(folder)) ?? '');
	/** Most paths are served with a slash at their end as well. */
	const slashed = (path: string): Handler | undefined =>
		EXACT.has(path.slice(0, -1)) ? undefined : (others.get(path.slice(0, -1)) ?? under(path));
	return (path) => {
		if (path === '/' || path === '/index.html') return root;
		return discovery.route(path) ?? health.route(path) ?? others.get(path) ?? (path.endsWith('/') ? slashed(path) : under(path));
	};
}
