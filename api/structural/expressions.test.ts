import test from 'ava';
import { compile, environment, evaluated } from '../cel/environment.ts';
import { fromJson } from '../cel/json.ts';
import { CompileError } from '../cel/issues.ts';
import { namedType } from '../cel/named-types.ts';
import { DYN } from '../cel/types.ts';
import { declaredOf, sizesIn, type Declared } from './cel-types.ts';
import type { Schema } from './schema.ts';

// What upstream's library answered (cel-go 0.26 with the environment and the estimator of Kubernetes 1.36).
const schema: Schema = {
	type: 'object',
	properties: {
		n: { type: 'integer' },
		text: { type: 'string', maxLength: 10 },
		free: { type: 'string' },
		texts: { type: 'array', maxItems: 5, items: { type: 'string', maxLength: 4 } },
		set: { type: 'array', maxItems: 4, 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
		map: { type: 'object', maxProperties: 3, additionalProperties: { type: 'string', maxLength: 6 } },
		keyed: {
			type: 'array',
			maxItems: 4,
			'x-kubernetes-list-type': 'map',
			'x-kubernetes-list-map-keys': ['k'],
			items: { type: 'object', required: ['k'], properties: { k: { type: 'string' }, v: { type: 'integer' } } },
		},
		one: { type: 'object', properties: { k: { type: 'string' }, v: { type: 'integer' } } },
		absent: { type: 'string' },
		if: { type: 'integer' },
	},
};
const declared = declaredOf(schema, false) as Declared;
const env = environment({ variables: { self: namedType(declared.type, 'object'), d: DYN } });
const values = {
	self: fromJson(
		{
			n: 3,
			text: '10.0.0.1',
			free: '1.2.3',
			texts: ['a', 'bb'],
			set: ['x', 'y'],
			map: { k: 'v' },
			keyed: [
				{ k: 'a', v: 1 },
				{ k: 'b', v: 2 },
			],
			one: { k: 'a', v: 1 },
			if: 1,
		},
		declared.type,
	),
	d: fromJson({ n: 5, s: 'str', l: [1, 'two', null], m: { k: 'v' } }),
};
const variables = (name: string) => values[name as keyof typeof values];
const MOST = Number.MAX_SAFE_INTEGER;

for (const [source, min, max, cost] of [
	['--1', 0, 0, 0],
	['self.if == 10', 3, 3, 3],
	['self.__if__ == 10', 2, 2, 3],
	['self.map.k == "a"', 4, 4, 4],
	['self.map["k"] == "a"', 4, 4, 4],
	['self.map.all(k, self.map[k].size() > 1)', 3, 30, 11],
	['self.map.all(k, v, k == v)', 3, 18, 9],
	['self.texts.all(i, t, t == self.text)', 3, 43, 12],
	['self.texts.map(t, t + "!").exists(t, t == "a!")', 14, 114, 41],
	['[1.5, 2.5].max()', 12, 12, 2],
	['self.texts.join(",") == self.text', 5, 17, 6],
	['self.texts.max()', 2, 17, 2],
	['self.free.split(",").all(p, p.size() > 1)', 3, 19503505, 10],
	['self.free.split(",", 3).size() == 3', 4, 629150, 5],
	['self.text.replace("a", "bb") == ""', 2, 10, 4],
	['self.text.replace("", "b") == ""', 2, 10, 4],
	['strings.quote(self.text) == ""', 2, 6, 3],
	['self.text.lowerAscii() == "a"', 3, 7, 4],
	['url(self.free) == url("/a")', 4, 314577, 5],
	['ip(self.text) == ip("::1")', 4, 8, 5],
	['ip(self.text) != ip("10.0.0.1")', 4, Infinity, 5],
	['ip.isCanonical(self.text)', 2, 10, 4],
	['cidr("10.0.0.0/8").containsIP(self.text)', 4, 11, 5],
	['cidr("10.0.0.0/8").containsIP(ip(self.text))', 4, 11, 5],
	['cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16")', 6, 10, 6],
	['cidr("fe80::/10").containsCIDR(cidr("fe80::/64"))', 5, 9, 5],
	['semver(self.free) == semver("1.2.3")', 4, 314577, 5],
	['format.dns1123Label().validate(self.text).hasValue()', 4, 132, 12],
	['format.uri().validate(self.text).hasValue()', 4, 132, 280],
	['format.uuid() == format.uuid()', 3, 9, 3],
	['matches(self.text, "[0-9.]+")', 3, 3, 3],
	['self.text.matches("[0-9.]+")', 4, 12, 4],
	['self.free.startsWith("1")', 3, 3, 3],
	['self.text.contains("0.0")', 2, 6, 3],
	['self.?absent.orValue("x") == "x"', 4, 4, 2],
	['self.?text.orValue("xxxxxxxxxxxxxxxxxxxx") == "x"', 4, 4, 3],
	['optional.of(1).or(optional.of(self.n))', 5, 5, 1],
	['self.?text.optMap(t, 1)', 4, 17, 4],
	['self.?text.optMap(t, t + t)', 4, Infinity, 11],
	['(self.n == 3 ? self.text : self.free) == "x"', 5, 5, 5],
	['(self.n == 3 ? has(self.text) : has(self.absent))', 3, 3, 4],
	['self.n in [1, 2]', 14, 14, 2],
	['self.n in dyn([1, 2])', 14, 15, 3],
	['d.n in d.l', 2, Infinity, 5],
	['d.s + "x"', 2, Infinity, 3],
	['{"a": self.n}.a == 3', 33, 33, 35],
	['[self.n, 2].all(x, x > 1)', 19, 23, 23],
	['self.set == ["y", "x"]', 13, 13, 3],
	['dyn(self.text) == "x"', 4, 4, 4],
	['[self.absent]', 12, 12, 12],
	['self.texts[self.n]', 5, 5, 4],
	['quantity(self.text)', 2, 6, 3],
	['cidr(self.free)', 2, 314575, 3],
] as const)
	test(`${source} is reckoned to cost ${min} to ${max}, and costs ${cost}`, (t) => {
		const program = compile(env, source);
		const estimated = program.estimate(sizesIn(declared));
		t.deepEqual([estimated.min, estimated.max > MOST ? Infinity : estimated.max], [min, max]);
		t.is(evaluated(program, variables, 10_000).cost, cost);
	});

for (const [source, want] of [
	['self.set == ["y", "x"]', true],
	['["y", "x"] == self.set', false],
	['self.set + ["x", "z"] == ["z", "x", "y"]', true],
	['(self.keyed + self.keyed).size() == 2', true],
	['self.keyed + [self.keyed[0]] == self.keyed', true],
	['self.keyed == [self.keyed[1], self.keyed[0]]', true],
	['[self.keyed[1], self.keyed[0]] == self.keyed', false],
] as const)
	test(`members of lists in any order: ${source}`, (t) => {
		const outcome = evaluated(compile(env, source), variables, 10_000);
		t.is('error' in outcome ? outcome.error.message : outcome.value, want);
	});

for (const [source, want] of [
	['self.keyed == [1]', "1:12: found no matching overload for '_==_' applied to '(list(object.keyed.@idx), list(int))'"],
	['self.one in self.keyed', "1:10: found no matching overload for '@in' applied to '(object.one, list(object.keyed.@idx))'"],
	['self.keyed == self.one', "1:12: found no matching overload for '_==_' applied to '(list(object.keyed.@idx), object.one)'"],
] as const)
	test(`types are told apart by their places: ${source}`, (t) => {
		const error = t.throws(() => compile(env, source), { instanceOf: CompileError });
		t.is(error.message.split('\n', 1)[0], `ERROR: <input>:${want}`);
	});
