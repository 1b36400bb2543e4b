/** Every path that is no resource: discovery, health, version, metrics, OpenID documents, and "/" which lists them. */
import type { Handler } from '../contracts.ts';
import type { Discovery } from './discovery.ts';
import type { Health } from './health.ts';

interface Deps {
	readonly discovery: Discovery;
	readonly health: Health;
	/** Handlers of single paths: /version, /metrics, /openid/v1/jwks, /openapi/v3, … */
	readonly others: ReadonlyMap<string, Handler>;
}

/** Finds the handler of a non-resource path. */
export function nonResourceRoutes(deps: Deps): (path: string) => Handler | undefined {
	const { discovery, health, others } = deps;
	const root: Handler = () => {
		const told = [...discovery.paths(), '/apis/', ...health.paths(), ...others.keys()].filter((path) => !path.startsWith('/debug/'));
		const paths = [...new Set(told)].sort();
		return Promise.resolve({
			type: 'bytes',
			status: 200,
			headers: { 'content-type': 'application/json' },
			body: Buffer.from(JSON.stringify({ paths }, undefined, 2)),
		});
	};
	/** A handler whose path ends in "/v3/" serves everything below it. */
	const under = (path: string): Handler | undefined => (path.startsWith('/openapi/v3/') ? others.get('/openapi/v3/') : undefined);
	return (path) => {
		if (path === '/' || path === '') return root;
		return (
			discovery.route(path) ?? health.route(path) ?? others.get(path) ?? (path.endsWith('/') ? others.get(path.slice(0, -1)) : under(path))
		);
	};
}
