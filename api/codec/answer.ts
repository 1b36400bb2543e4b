/** What another server answers to a call of ours: JSON, or YAML as Go's reader takes it too. */
import { AppError } from '../../base/errors.ts';
import { jsonSyntaxError } from './json-syntax.ts';
import { parseJson } from './json-text.ts';
import { NO_KIND, typeMetaFault } from './type-meta.ts';
import { parseYamlBody } from './yaml-body.ts';

/** null is an object without fields. AppError InvalidArgument in Go's words for what is no object, or names its kind by what is no text. */
export function readAnswer(text: string): object {
	const value = /^\s*\{/.test(text) ? json(text) : parseYamlBody(Buffer.from(text)).value;
	if (value === null || value === undefined) return {};
	const fault = typeMetaFault(value);
	if (fault !== undefined) throw new AppError('InvalidArgument', fault);
	return value;
}

function json(text: string): unknown {
	try {
		return parseJson(text);
	} catch (cause) {
		throw new AppError('InvalidArgument', `${NO_KIND}${jsonSyntaxError(text)}`, { cause });
	}
}
