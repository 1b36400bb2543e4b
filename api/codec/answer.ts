/** What another server answers to a call of ours: JSON, or YAML as Go's reader takes it too. */
import { AppError } from '../../base/errors.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { NO_KIND, noObject } from './no-object.ts';
import { parseYamlBody } from './yaml-body.ts';

/** null is an object without fields. AppError InvalidArgument in Go's words where there is no object. */
export function readAnswer(text: string): object {
	const value = /^\s*\{/.test(text) ? json(text) : parseYamlBody(Buffer.from(text)).value;
	if (typeof value !== 'object' || Array.isArray(value)) throw new AppError('InvalidArgument', noObject(value));
	return value ?? {};
}

function json(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `${NO_KIND}${jsonSyntaxError(text)}`, { cause });
	}
}
