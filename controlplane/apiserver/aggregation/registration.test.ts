/** The APIServices of built-in groups: what health checks say until they are there, and that they are made once, whatever fails. */
import { buffer } from 'node:stream/consumers';
import test from 'ava';
import { API_SERVICES } from '../../../api/resources.ts';
import { AppError } from '../../../base/errors.ts';
import { noLog } from '../../../base/log.ts';
import { idle, VirtualClock } from '../../../base/virtual-clock.ts';
import { testApiServer } from '../../../test/fakes/api-server.ts';
import { createMemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import { builtInServices } from './local-services.ts';

const CHECKS = [
	'autoregister-completion',
	'poststarthook/apiservice-registration-controller',
	'poststarthook/kube-apiserver-autoregistration',
];

test('checks are not good before all APIServices are there; what could not be made is tried again, what was made and deleted is not', async (t) => {
	const clock = new VirtualClock(undefined, 1, () => idle(40));
	const memory = createMemoryStore(clock);
	let refused = /\/apiservices\//;
	const store: Store = new Proxy(memory, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (name === 'commit')
				return (...given: Parameters<Store['commit']>) =>
					given[0].some(({ key }) => refused.test(key)) ? Promise.reject(new AppError('Unavailable', 'no')) : target.commit(...given);
			return typeof value === 'function' ? (value.bind(target) as unknown) : value;
		},
	});
	const stop = new AbortController();
	t.teardown(() => stop.abort());
	const { client, stopped } = await testApiServer({ clock, log: noLog, store }, stop.signal);
	const ask = async (name: string): Promise<string> => {
		const { status, body } = await client.transport.request({ method: 'GET', path: `/livez/${name}` }, stop.signal);
		return `${status} ${(await buffer(body)).toString()}`;
	};
	await clock.advance(0);
	const all = builtInServices().map(({ metadata }) => metadata.name ?? '');
	t.is(await ask('autoregister-completion'), `500 internal server error: missing APIService: [${all.toSorted().join(' ')}]\n`);
	for (const name of CHECKS) t.regex(await ask(name), /^500 /, name);
	refused = /\/apiservices\/v1\.apps$/;
	await clock.advance(5000);
	t.is(await ask('autoregister-completion'), '500 internal server error: missing APIService: [v1.apps]\n');
	refused = /^$/;
	await clock.advance(5000);
	for (const name of CHECKS) t.is(await ask(name), '200 ok', name);
	await client.delete(API_SERVICES, 'v1.apps');
	await clock.advance(60_000);
	await t.throwsAsync(client.get(API_SERVICES, 'v1.apps'), { message: /not found/ });
	t.is(await ask('autoregister-completion'), '200 ok', 'it has been there');
	stop.abort();
	await stopped;
});
