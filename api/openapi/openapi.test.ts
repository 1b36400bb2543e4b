import test from 'ava';
import { openApiV2, openApiV3, openApiV3Root } from './documents.ts';

type Json = Record<string, unknown>;
const parse = (bytes: Uint8Array | undefined): Json => JSON.parse(Buffer.from(bytes ?? []).toString()) as Json;
const at = (value: unknown, ...path: readonly string[]): unknown => {
	let found = value;
	for (const key of path) found = (found as Json | undefined)?.[key];
	return found;
};

test('openApiV3(): paths, schemas and markers of a group version', (t) => {
	const apps = parse(openApiV3('apis/apps/v1')?.bytes);
	const schemas = at(apps, 'components', 'schemas');
	t.deepEqual(at(schemas, 'io.k8s.api.apps.v1.Deployment', 'x-kubernetes-group-version-kind'), [
		{ group: 'apps', version: 'v1', kind: 'Deployment' },
	]);
	t.is(at(schemas, 'io.k8s.api.core.v1.PodSpec', 'properties', 'containers', 'x-kubernetes-patch-merge-key'), 'name');
	const patch = at(apps, 'paths', '/apis/apps/v1/namespaces/{namespace}/deployments/{name}', 'patch') as { parameters: { name: string }[] };
	t.true(patch.parameters.some(({ name }) => name === 'fieldValidation'));
});

test('openApiV3Root() names every document with its hash', (t) => {
	const url = at(parse(openApiV3Root().bytes), 'paths', 'apis/apps/v1', 'serverRelativeURL');
	t.is(url, `/openapi/v3/apis/apps/v1?hash=${openApiV3('apis/apps/v1')?.hash}`);
	t.is(openApiV3('apis/zork/v1'), undefined);
});

test('openApiV2(): JSON and protobuf, which starts with the swagger version', (t) => {
	t.is(at(parse(openApiV2('json').bytes), 'definitions', 'io.k8s.api.core.v1.Pod', 'type'), 'object');
	t.is(Buffer.from(openApiV2('protobuf').bytes.subarray(0, 5)).toString('latin1'), '\n\u00032.0');
});
