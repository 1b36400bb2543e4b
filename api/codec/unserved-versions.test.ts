import test from 'ava';
import { decodeBody, decodeObject, type Decoding } from './codec.ts';

const DEPLOYMENT = { group: 'apps', version: 'v1', kind: 'Deployment' };
const decoding: Decoding = { strictness: 'Strict', warn: () => {} };
const patch: Decoding = { ...decoding, patch: { strict: [], unstructured: false } };
const object = (apiVersion: string, kind = 'Deployment'): object => ({ apiVersion, kind, metadata: { name: 'a' }, spec: { replicas: 2 } });
const mismatch = (version: string): RegExp =>
	new RegExp(`^the API version in the data \\(${version}\\) does not match the expected API version \\(apps/v1\\)$`);
const unknown = (version: string, kind = 'Deployment'): RegExp => new RegExp(`no kind "${kind}" is registered for version "${version}"`);

for (const [apiVersion, posted, patched] of [
	['apps/v1beta1', mismatch('apps/v1beta1'), undefined],
	['apps/v1beta2', mismatch('apps/v1beta2'), undefined],
	['apps/v1beta3', unknown('apps/v1beta3'), unknown('apps/v1beta3')],
	['batch/v1beta1', unknown('batch/v1beta1'), unknown('batch/v1beta1')],
	['constructor/v1', unknown('constructor/v1'), unknown('constructor/v1')],
] as const)
	test(`an object in a version that is not served: ${apiVersion}`, (t) => {
		const bytes = Buffer.from(JSON.stringify(object(apiVersion)));
		t.regex(t.throws(() => decodeBody(bytes, 'application/json', DEPLOYMENT, decoding)).message, posted);
		if (patched !== undefined) return t.regex(t.throws(() => decodeObject(object(apiVersion), DEPLOYMENT, patch)).message, patched);
		t.like(decodeObject(object(apiVersion), DEPLOYMENT, patch), { apiVersion: 'apps/v1', kind: 'Deployment', spec: { replicas: 2 } });
	});

test('another kind of such a version is another kind', (t) => {
	const bytes = Buffer.from(JSON.stringify(object('apps/v1beta1', 'DaemonSet')));
	t.regex(t.throws(() => decodeBody(bytes, 'application/json', DEPLOYMENT, decoding)).message, unknown('apps/v1beta1', 'DaemonSet'));
});
