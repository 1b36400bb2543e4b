/** [sig-api-machinery] FieldValidation: strict, warn and ignore, for built-in kinds and custom ones. */
import { defined, definition, version, type Custom } from '../crd.ts';
import { conformance, type World } from '../suite.ts';

const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';

interface Verdict {
	readonly code: number;
	readonly message: string;
	readonly warnings: string;
}

async function send(
	{ raw }: World,
	method: string,
	path: string,
	body: string,
	fieldValidation: string,
	type = 'application/json',
): Promise<Verdict> {
	const manager = type === APPLY ? '&fieldManager=test&force=true' : '';
	const answer = await raw(method, `${path}?fieldValidation=${fieldValidation}${manager}`, { body, headers: { 'content-type': type } });
	const { message = '' } = answer.json<{ message?: string }>();
	return { code: answer.code, message, warnings: String(answer.headers['warning'] ?? '') };
}

/** Strict refuses and names all; Warn does it and names all; Ignore does it silently. */
async function judged(
	world: World,
	[method, path, type]: readonly [string, string, string?],
	body: string,
	says: readonly RegExp[],
): Promise<void> {
	const { t } = world;
	const strict = await send(world, method, path, body, 'Strict', type);
	t.true(strict.code === 400 || strict.code === 500 || strict.code === 422, `${method} ${type ?? ''} ${strict.code} ${strict.message}`);
	for (const pattern of says) t.regex(strict.message, pattern, `${method} ${type ?? ''}`);
	const warned = await send(world, method, path, body, 'Warn', type);
	t.true(warned.code < 300, `${method} ${type ?? ''}: ${warned.message}`);
	for (const pattern of says) t.regex(warned.warnings.replaceAll('\\"', '"'), pattern, `${method} ${type ?? ''}`);
	const ignored = await send(world, method, path, body, 'Ignore', type);
	t.true(ignored.code < 300, ignored.message);
	t.is(ignored.warnings, '');
}

const deployment = (name: string, metadata = '', spec = ''): string =>
	`{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"${name}","labels":{"app":"nginx"}${metadata}},` +
	`"spec":{${spec}"selector":{"matchLabels":{"app":"nginx"}},"template":{"metadata":{"labels":{"app":"nginx"}},` +
	`"spec":{"nodeSelector":{"none":"none"},"containers":[{"name":"nginx","image":"nginx:latest"}]}}}}`;

conformance(
	'[sig-api-machinery] FieldValidation should detect unknown and duplicate fields of a typed object [Conformance]',
	async (world) => {
		const { raw, namespace } = world;
		const all = `/apis/apps/v1/namespaces/${namespace}/deployments`;
		await raw('POST', all, { body: deployment('x') });
		const wrong = deployment('x', '', '"unknown1":"val","unknownDupe":"a","unknownDupe":"b","paused":true,"paused":false,');
		await judged(world, ['PUT', `${all}/x`], wrong, [
			/unknown field "spec\.unknown1"/,
			/unknown field "spec\.unknownDupe"/,
			/duplicate field "spec\.paused"/,
		]);
		await judged(world, ['PATCH', `${all}/x`, MERGE], '{"spec":{"unknown1":"v","paused":true,"paused":false}}', [
			/unknown field "spec\.unknown1"/,
			/duplicate field "spec\.paused"/,
		]);
		const strict = await send(world, 'POST', all, deployment('y', '', '"unknown1":"val",'), 'Strict');
		world.t.is(strict.code, 400);
		world.t.regex(strict.message, /strict decoding error: unknown field "spec\.unknown1"/);
	},
);

conformance('[sig-api-machinery] FieldValidation should detect unknown metadata fields of a typed object [Conformance]', async (world) => {
	const all = `/apis/apps/v1/namespaces/${world.namespace}/deployments`;
	await world.raw('POST', all, { body: deployment('x') });
	await judged(world, ['PUT', `${all}/x`], deployment('x', ',"unknownMeta":"foo"'), [/unknown field "metadata\.unknownMeta"/]);
	// Apply knows no leniency: what the schema lacks cannot be owned.
	const applied = await send(world, 'PATCH', `${all}/x`, deployment('x', ',"unknownMeta":"foo"'), 'Strict', APPLY);
	world.t.true(applied.code >= 400);
	world.t.regex(applied.message, /metadata\.unknownMeta/);
});

const SCHEMA = {
	type: 'object',
	properties: {
		spec: {
			type: 'object',
			x_kubernetes_preserve_unknown_fields: true,
			properties: {
				cronSpec: { type: 'string', pattern: '^(\\d+|\\*)(/\\d+)?(\\s+(\\d+|\\*)(/\\d+)?){4}$' },
				ports: {
					type: 'array',
					items: { type: 'object', properties: { containerPort: { type: 'integer' }, protocol: { type: 'string' } } },
				},
				embedded: { type: 'object', x_kubernetes_embedded_resource: true, x_kubernetes_preserve_unknown_fields: true },
			},
		},
	},
};
const { x_kubernetes_preserve_unknown_fields: _, ...closed } = SCHEMA.properties.spec;
const CLOSED = { ...SCHEMA, properties: { spec: closed } };

const body = ({ group, kind }: Custom, name: string, rest: string, metadata = ''): string =>
	`{"apiVersion":"${group}/v1","kind":"${kind}","metadata":{"name":"${name}"${metadata}},${rest}}`;

conformance(
	'[sig-api-machinery] FieldValidation should create/apply a CR with unknown fields for CRD with no validation schema [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world));
		const text = (name: string): string => body(custom, name, '"spec":{"foo":"foo1","cronSpec":"* * * * */5"}');
		const made = await send(world, 'POST', custom.path(), text('x'), 'Strict');
		const applied = await send(world, 'PATCH', `${custom.path()}/y`, text('y'), 'Strict', APPLY);
		world.t.deepEqual([made.code, applied.code, made.warnings, applied.warnings], [201, 201, '', '']);
	},
);

conformance(
	'[sig-api-machinery] FieldValidation should create/apply a valid CR for CRD with validation schema [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world, [version('v1', CLOSED)]));
		const text = (name: string): string =>
			body(custom, name, '"spec":{"cronSpec":"* * * * */5","ports":[{"containerPort":80,"protocol":"TCP"}]}');
		const made = await send(world, 'POST', custom.path(), text('x'), 'Strict');
		const applied = await send(world, 'PATCH', `${custom.path()}/y`, text('y'), 'Strict', APPLY);
		world.t.deepEqual([made.code, applied.code, made.warnings, applied.warnings], [201, 201, '', '']);
	},
);

conformance(
	'[sig-api-machinery] FieldValidation should create/apply an invalid CR with extra properties for CRD with validation schema [Conformance]',
	async (world) => {
		const { t } = world;
		const custom = await defined(world, definition(world, [version('v1', CLOSED)]));
		const extra = (name: string): string => body(custom, name, '"spec":{"cronSpec":"* * * * */5","extraProperty":"x"}');
		const made = await send(world, 'POST', custom.path(), extra('x'), 'Strict');
		t.is(made.code, 400);
		t.regex(made.message, /strict decoding error: unknown field "spec\.extraProperty"/);
		const applied = await send(world, 'PATCH', `${custom.path()}/y`, extra('y'), 'Strict', APPLY);
		t.true(applied.code >= 400);
		t.regex(applied.message, /extraProperty/);
		t.is((await send(world, 'POST', custom.path(), body(custom, 'z', '"spec":{"cronSpec":"odd"}'), 'Strict')).code, 422);
	},
);

conformance(
	'[sig-api-machinery] FieldValidation should detect unknown metadata fields in both the root and embedded object of a CR [Conformance]',
	async (world) => {
		const custom = await defined(world, definition(world, [version('v1', SCHEMA)]));
		const rest = '"spec":{"embedded":{"apiVersion":"v1","kind":"X","metadata":{"name":"in","unknownSubMeta":"foo"}}}';
		const text = body(custom, 'x', rest, ',"unknownMeta":"foo"');
		await world.raw('POST', custom.path(), { body: body(custom, 'x', '"spec":{}') });
		await judged(world, ['PATCH', `${custom.path()}/x`, MERGE], `{"metadata":{"unknownMeta":"foo"},${rest}}`, [
			/metadata\.unknownMeta/,
			/spec\.embedded\.metadata\.unknownSubMeta/,
		]);
		const strict = await send(world, 'POST', custom.path(), text.replace('"x"', '"y"'), 'Strict');
		world.t.is(strict.code, 400);
		world.t.regex(strict.message, /unknown field "metadata\.unknownMeta"/);
		world.t.regex(strict.message, /unknown field "spec\.embedded\.metadata\.unknownSubMeta"/);
	},
);

conformance(
	'[sig-api-machinery] FieldValidation should detect duplicates in a CR when preserving unknown fields [Conformance]',
	async (world) => {
		const { t } = world;
		const custom = await defined(world, definition(world, [version('v1', SCHEMA)]));
		const text = (name: string): string =>
			body(
				custom,
				name,
				'"spec":{"unknown":"uk1","unknownDupe":"a","unknownDupe":"b","cronSpec":"* * * * */5","ports":[{"containerPort":80,"containerPort":81}]}',
			);
		const strict = await send(world, 'POST', custom.path(), text('x'), 'Strict');
		t.is(strict.code, 400);
		t.regex(strict.message, /duplicate field "spec\.unknownDupe"/);
		t.regex(strict.message, /duplicate field "spec\.ports\[0\]\.containerPort"/);
		t.notRegex(strict.message, /unknown field/);
		const warned = await send(world, 'POST', custom.path(), text('y'), 'Warn');
		t.is(warned.code, 201);
		t.regex(warned.warnings, /duplicate field/);
	},
);
