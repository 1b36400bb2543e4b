/** One operation of a path, and how a path with its operations is written in either version. Pure. */
import { byName, parameterJson, type Parameter, type SharedParameters } from './parameters.ts';
import type { Flavour, Json } from './schemas.ts';

export interface Operation {
	readonly method: string;
	readonly id: string;
	readonly tag: string;
	readonly description: string;
	/** Undefined: nothing is said of it. */
	readonly consumes: readonly string[] | undefined;
	readonly produces: readonly string[];
	readonly parameters: readonly Parameter[];
	readonly body?: { readonly schema: Json; readonly isRequired: boolean } | undefined;
	/** Undefined: a text. */
	readonly answer: Json | undefined;
	/** Codes beside 200. */
	readonly answers: readonly (201 | 202)[];
	readonly action?: string | undefined;
	readonly subject?: Json | undefined;
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch'];
const ANSWERS: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** Parameters that every operation of the path has stand once, beside them. */
export function pathItem(operations: readonly Operation[], flavour: Flavour, shared: SharedParameters): Json {
	const common = commonOf(operations);
	const keys = new Set(common.map(keyOf));
	const sorted = operations.toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
	const written = sorted.map((one) => {
		const own = one.parameters.filter((parameter) => !keys.has(keyOf(parameter)));
		return [one.method, flavour === 'v2' ? version2(one, own, shared) : version3(one, own)] as const;
	});
	const beside = parametersJson(common, flavour, shared);
	return { ...Object.fromEntries(written), ...(beside.length === 0 ? {} : { parameters: beside }) };
}

const keyOf = ({ name, in: where }: Parameter): string => `${where} ${name}`;

function commonOf([first, ...others]: readonly Operation[]): Parameter[] {
	if (first === undefined) return [];
	return first.parameters.filter((one) => others.every(({ parameters }) => parameters.some((other) => keyOf(other) === keyOf(one))));
}

function parametersJson(parameters: readonly Parameter[], flavour: Flavour, shared: SharedParameters): Json[] {
	const written = parameters.toSorted(byName).map((one) => parameterJson(one, flavour));
	return flavour === 'v2' ? written.map((one) => shared.share(one)) : written;
}

function version2(operation: Operation, own: readonly Parameter[], shared: SharedParameters): Json {
	const { description, consumes, produces, tag, id, body, answer, answers } = operation;
	const bodies =
		body === undefined
			? []
			: [shared.share({ name: 'body', in: 'body', ...(body.isRequired ? { required: true } : {}), schema: body.schema })];
	const before = own.filter(({ name }) => name < 'body');
	const after = own.filter(({ name }) => name >= 'body');
	const parameters = [...parametersJson(before, 'v2', shared), ...bodies, ...parametersJson(after, 'v2', shared)];
	const schema = answer ?? { type: 'string' };
	const found = [200, ...answers].map((code) => [code, { description: ANSWERS[code], schema }] as const);
	return {
		description,
		...(consumes === undefined ? {} : { consumes }),
		produces,
		schemes: ['https'],
		tags: [tag],
		operationId: id,
		...(parameters.length === 0 ? {} : { parameters }),
		responses: { ...Object.fromEntries(found), 401: { description: 'Unauthorized' } },
		...about(operation),
	};
}

function version3(operation: Operation, own: readonly Parameter[]): Json {
	const { description, consumes, produces, tag, id, body, answer, answers } = operation;
	const parameters = parametersJson(own, 'v3', undefined as never);
	const contentOf = (types: readonly string[], schema: Json): Json =>
		Object.fromEntries(types.toSorted().map((type) => [type, { schema }]));
	const content = contentOf(produces, answer ?? { type: 'string' });
	const found = [200, ...answers].map((code) => [code, { description: ANSWERS[code], content }] as const);
	return {
		tags: [tag],
		description,
		operationId: id,
		...(parameters.length === 0 ? {} : { parameters }),
		...(body === undefined
			? {}
			: { requestBody: { content: contentOf(consumes ?? [], body.schema), ...(body.isRequired ? { required: true } : {}) } }),
		responses: { ...Object.fromEntries(found), 401: { description: 'Unauthorized' } },
		...about(operation),
	};
}

function about({ action, subject }: Operation): Json {
	return {
		...(action === undefined ? {} : { 'x-kubernetes-action': action }),
		...(subject === undefined ? {} : { 'x-kubernetes-group-version-kind': subject }),
	};
}
