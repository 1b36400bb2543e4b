/** Whom the API server is asked about: the caller as it said itself, with all that it knows of who showed a token. */
import type { IncomingMessage } from 'node:http';
import test from 'ava';
import type { SubjectAccessReview } from '../../api/gen/types.ts';
import { VirtualClock } from '../../base/virtual-clock.ts';
import type { Client } from '../../client/client.ts';
import { Callers } from './caller.ts';
import type { ClientCas } from './client-cas.ts';
import { attributesOf, Permissions } from './permission.ts';

test('what the API server said of a token is what it is asked about', async (t) => {
	const user = { username: 'u', uid: '1', groups: ['g'], extra: { 'authentication.kubernetes.io/pod-name': ['p'] } };
	const asked: SubjectAccessReview['spec'][] = [];
	const create = (_: unknown, made: { readonly spec: SubjectAccessReview['spec'] & { readonly token?: string } }): Promise<object> => {
		if (made.spec.token !== undefined) return Promise.resolve({ status: { authenticated: true, user } });
		asked.push(made.spec);
		return Promise.resolve({ status: { allowed: true } });
	};
	const client = { create } as unknown as Client;
	const { signal } = new AbortController();
	const how = { tokens: true, tokenMs: 1000, anonymous: false };
	const callers = new Callers(client, new VirtualClock(), { knows: () => false } as unknown as ClientCas, how);
	const request = { socket: {}, headers: { authorization: 'Bearer t' } } as unknown as IncomingMessage;
	const caller = await callers.identify(request, signal);
	if (caller === undefined) return t.fail('nobody');
	const permissions = new Permissions(client, new VirtualClock(), 'node', { alwaysAllow: false, allowedMs: 1000, deniedMs: 1000 });
	t.true(await permissions.allowed(caller, attributesOf('GET', '/stats/summary', false), signal));
	const { username, ...rest } = user;
	t.like(asked[0], { user: username, ...rest, resourceAttributes: { verb: 'get', resource: 'nodes', subresource: 'stats', name: 'node' } });
});
