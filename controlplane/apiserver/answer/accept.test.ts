import test from 'ava';
import { errorType, negotiatePath, negotiateView, refuseTable, wanted, type Offer } from './accept.ts';

const META = 'v=v1;g=meta.k8s.io';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const asking = (accept: string | undefined, query = '', agent = 'kubectl/v1.36.2') => ({
	headers: { accept, 'user-agent': agent },
	query: new URLSearchParams(query),
});
const PLAIN = 'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAM =
	'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

const custom: Offer = { custom: true };
const watch: Offer = { watch: true };
const builtIn: Offer = {};

for (const [accept, offer, want] of [
	['application/json;q=0.1,application/yaml;q=0.2', builtIn, 'application/yaml object'],
	['text/html, application/json', builtIn, 'application/json object'],
	[`application/json;as=Table;${META}`, builtIn, 'application/json table'],
	['*/*, application/yaml', builtIn, 'application/yaml object'],
	['application/*, application/yaml', builtIn, 'application/yaml object'],
	['application/json;as=', builtIn, 'application/json object'],
	['APPLICATION/YAML', builtIn, PLAIN],
	['*', builtIn, 'application/json object'],
	[`${PROTOBUF};as=Table;${META}`, builtIn, PLAIN],
	[`application/json;as=Table;v=v2;g=meta.k8s.io, application/json`, builtIn, 'application/json object'],
	['application/json;v=v2', builtIn, PLAIN],
	['application/json;stream=zork', builtIn, PLAIN],
	['application/yaml;stream=watch', builtIn, PLAIN],
	[PROTOBUF, custom, PLAIN],
	[`${PROTOBUF}, application/json`, custom, 'application/json object'],
	[`${PROTOBUF};as=PartialObjectMetadata;${META}`, custom, `${PROTOBUF} metadata`],
	['application/*', custom, 'application/json object'],
	['application/yaml', watch, STREAM],
	['application/json;q=0.1,application/yaml;q=0.2', watch, STREAM],
	[`${PROTOBUF};stream=watch`, watch, `${PROTOBUF} object`],
] as const)
	test(`wanted(): ${accept} of ${JSON.stringify(offer)}`, (t) => {
		if (want.startsWith('only')) return void t.is(t.throws(() => wanted(asking(accept), offer))?.message, want);
		const { mediaType, view } = wanted(asking(accept), offer);
		t.is(`${mediaType} ${view}`, want);
	});

for (const [accept, isCustom, types, want] of [
	['application/*', false, ['a/b', 'application/json'], '406: Not Acceptable\n\nAvailable representations: a/b, application/json'],
	['application/*', true, [], undefined],
	['text/plain', false, ['text/plain'], PLAIN],
	['text/html', true, [], PLAIN],
	['*/*', false, [], undefined],
] as const)
	test(`negotiatePath(), negotiateView(): ${accept}${isCustom ? ' of a custom resource' : ''} gives ${want ?? 'nothing to say'}`, (t) => {
		const ask = (): void => {
			negotiatePath(asking(accept), { custom: isCustom, types });
			negotiateView(asking(accept), { custom: isCustom, tables: types[0] !== 'text/plain' });
		};
		if (want === undefined) t.notThrows(ask);
		else t.is(t.throws(ask)?.message, want);
	});

for (const [accept, want] of [
	[`application/yaml;as=Table;${META}`, 'application/json'],
	['application/yaml;stream=watch', 'application/json'],
	[`application/json;as=Table;${META}, application/yaml`, 'application/yaml'],
	[`${PROTOBUF};stream=watch`, PROTOBUF],
	['text/html', 'application/json'],
] as const)
	test(`errorType(): ${accept}`, (t) => t.is(errorType(asking(accept)).mediaType, want));

test('errorType(): what no clause takes is for people', (t) => {
	t.true(errorType(asking('text/html')).pretty);
	t.true(errorType(asking(`application/json;as=Table;${META}`)).pretty);
	t.false(errorType(asking(`application/json;as=Table;${META}, application/json`)).pretty);
});

test('refuseTable(): only where nothing else is accepted', (t) => {
	t.is(t.throws(() => refuseTable(`application/json;as=Table;${META}`))?.message, PLAIN);
	t.notThrows(() => refuseTable(`application/json;as=Table;${META}, application/json`));
});

for (const [agent, query, accept, want] of [
	['kubectl/v1.36.2', '', undefined, false],
	['kubectl/v1.36.2', 'pretty=true', undefined, true],
	['kubectl/v1.36.2', '', 'application/json;pretty=1', true],
	['curl/8.5.0', '', undefined, true],
	['curl/8.5.0', '', 'application/json', true],
	['curl/8.5.0', 'pretty=false', undefined, false],
	['Wget/1.21', '', '*/*', true],
	['Mozilla/5.0 (X11; Linux x86_64)', '', 'text/html, application/json', true],
	['mycurl', '', undefined, false],
] as const)
	test(`answers for people: ${agent}, ${query || 'no query'}, ${accept ?? 'no Accept'}: ${want}`, (t) => {
		const asked = asking(accept, query, agent);
		t.is(wanted(asked).pretty, want);
		t.is(errorType(asked).pretty, want);
	});
