/** Expressions of admission: webhooks' match conditions, validating and mutating policies. What they may name, and what they must give. */
import { compile, environment, type Environment, type Program } from '../environment.ts';
import { EvalError } from '../errors.ts';
import { CompileError } from '../issues.ts';
import { sameType } from '../assignable.ts';
import { DYN, listOf, mapOf, declaredName, type Type } from '../types.ts';
import { authorization, AUTHORIZER_TYPE, RESOURCE_CHECK_TYPE } from './authorizer.ts';
import { jsonPatch, mutationStruct } from './mutation.ts';
import { NAMESPACE_TYPE, REQUEST_TYPE } from './types.ts';

export interface AdmissionVariables {
	/** `params` is there, of this type. */
	readonly params?: Type | undefined;
	/** `authorizer` is there; 'plain': without its requestResource, as upstream's type checker has it. */
	readonly authorizer: boolean | 'plain';
	/** Objects and JSON patches can be made. */
	readonly mutates?: boolean;
	/** Of `object` and `oldObject`; dyn unless told. */
	readonly object?: Type | undefined;
	/** Composed variables declared so far, by name. */
	readonly variables?: ReadonlyMap<string, Type>;
}

export function admissionEnvironment({ params, authorizer, mutates = false, object = DYN, variables }: AdmissionVariables): Environment {
	const composed: Type = { kind: 'object', name: 'kubernetes.variables', field: (name) => variables?.get(name) };
	return environment({
		variables: {
			object,
			oldObject: object,
			request: REQUEST_TYPE,
			namespaceObject: NAMESPACE_TYPE,
			...(params === undefined ? {} : { params }),
			...(authorizer === false ? {} : { authorizer: AUTHORIZER_TYPE }),
			...(authorizer === true ? { 'authorizer.requestResource': RESOURCE_CHECK_TYPE } : {}),
			...(variables === undefined ? {} : { variables: composed }),
		},
		libraries: mutates ? [authorization, jsonPatch] : [authorization],
		...(mutates ? { struct: mutationStruct } : {}),
	});
}

/** Of `variables.x`, by what its expression gives: types of objects and libraries are not kept (upstream's convertCelTypeToDeclType). */
export function variableType(type: Type): Type {
	switch (type.kind) {
		case 'list':
			return listOf(variableType(type.items));
		case 'map':
			return mapOf(variableType(type.key), variableType(type.value));
		case 'object':
		case 'opaque':
		case 'type':
		case 'param':
		case 'error':
			return DYN;
		default:
			return type;
	}
}

/** `internal`: the expression is right, but no program can be made of it. */
export type Compiled = { readonly program: Program } | { readonly error: string; readonly internal?: true };

/** @param results the types of which it must give one; empty: any */
export function compileFor(env: Environment, source: string, results: readonly Type[]): Compiled {
	try {
		const program = compile(env, source);
		if (results.length === 0 || results.some((type) => sameType(type, program.type))) {
			program.prepare();
			return { program };
		}
		const wanted = results.map(declaredName);
		const what = wanted.length === 1 ? `${wanted[0]}` : `one of [${wanted.join(' ')}]`;
		return { error: `must evaluate to ${what} but got ${declaredName(program.type)}` };
	} catch (error) {
		if (error instanceof CompileError) return { error: `compilation failed: ${error.message}` };
		if (error instanceof EvalError) return { error: `program instantiation failed: ${error.message}`, internal: true };
		throw error;
	}
}
