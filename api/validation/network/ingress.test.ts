/** Ingresses that are updated: what older rules let be stays (networking ValidateIngressUpdate). */
import test from 'ava';
import type { KubeObject } from '../../resource.ts';
import { validateUpdate } from '../validation.ts';

const metadata = { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1', creationTimestamp: '2026-01-01T00:00:00Z' };
const ingress = (spec: object): KubeObject => ({ metadata, spec }) as unknown as KubeObject;
const backend = (name: string): object => ({ service: { name, port: { number: 80 } } });
const rule = (host: string, path: string, name = 's'): object => ({
	host,
	http: { paths: [{ path, pathType: 'Exact', backend: backend(name) }] },
});
const rules = (...all: object[]): KubeObject => ingress({ rules: all });
const secrets = (...names: string[]): KubeObject =>
	ingress({ defaultBackend: backend('s'), tls: names.map((secretName) => ({ secretName })) });
const PATH = 'spec.rules[0].http.paths[0].path';

for (const [what, before, after, want] of [
	['a name that no secret can have stays', secrets('A_'), secrets('A_'), []],
	['and excuses others', secrets('s', 'A_'), secrets('B_'), []],
	['but does not come to be', secrets('s', ''), secrets('A_'), ['spec.tls[0].secretName']],
	['a path of a host with a wildcard stays', rules(rule('*.a.b', 'x')), rules(rule('*.a.b', 'x')), []],
	['and excuses all of such hosts', rules(rule('*.a.b', 'x')), rules(rule('*.a.b', '/'), { host: '*.c.d', http: { paths: [] } }), []],
	['not those of others', rules(rule('*.a.b', 'x')), rules(rule('a.b', 'x')), [PATH]],
	['nor the host itself', rules(rule('*.a.b', 'x')), rules(rule('*', 'x')), ['spec.rules[0].host']],
	['which do not stay themselves', rules(rule('a.b', 'x')), rules(rule('a.b', 'x')), [PATH]],
	['nor does one come to be', rules(rule('*.a.b', '/')), rules(rule('*.a.b', 'x')), [PATH]],
	['Services were named by stricter rules then', rules(rule('*.a.b', '/', '1s')), rules(rule('*.a.b', 'x', '1s')), []],
] as const)
	test(`ingresses: ${what}`, (t) =>
		t.deepEqual(
			validateUpdate('networking.k8s.io', 'v1', 'Ingress', after, before, true).map(({ field }) => field),
			[...want],
		));
