/** Files of variables that a container leaves for others (fileKeyRef): lines of NAME='value', as a shell would take them. Pure. */
import { AppError } from '../../base/errors.ts';

/** Undefined where there is no such name, or nothing in it. AppError InvalidArgument for what stands wrong before it. */
export function valueIn(text: string, name: string): string | undefined {
	const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
	for (let i = 0; i < lines.length; i++) {
		const line = (lines[i] ?? '').replace(/^[ \t]+/, '');
		if (line === '' || line.startsWith('#')) continue;
		const equals = line.indexOf('=');
		if (equals < 0) throw wrong(`at line ${i + 1}: missing '='`);
		const variable = line.slice(0, equals).replace(/[ \t]+$/, '');
		if (variable === '') throw wrong(`at line ${i + 1}: empty variable name`);
		if (variable.length < equals) throw wrong(`at line ${i + 1}: whitespace before '=' is not allowed`);
		const written = line.slice(equals + 1);
		// As a shell has it, nothing was given then.
		if (/^[ \t]/.test(written) && variable === name) return undefined;
		if (/^[ \t]/.test(written)) continue;
		if (!written.startsWith("'")) throw wrong(`at line ${i + 1}: value must be enclosed in single quotes`);
		const [value, first]: [string[], number] = [[], i];
		let part = written.slice(1);
		for (; !part.includes("'"); part = lines[i] ?? '') {
			value.push(part);
			if (++i >= lines.length) throw wrong(`starting at line ${first + 1}: unclosed single quote`);
		}
		const close = part.indexOf("'");
		value.push(part.slice(0, close));
		if (!/^[ \t]*(?:#.*)?$/.test(part.slice(close + 1))) throw wrong(`at line ${i + 1}: unexpected content after closing quote`);
		if (variable === name) return value.join('\n') || undefined;
	}
	return undefined;
}

function wrong(what: string): AppError {
	return new AppError('InvalidArgument', `invalid environment variable format ${what}`);
}
