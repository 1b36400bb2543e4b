/**
 * Replays recorded answers of an upstream API server against ours, prints the score by area, and fails when it falls below the recorded one
 * (`score.json`). The recordings' folder comes from ANSWERS; unset, this is skipped. `--record` writes the score that was reached.
 */
import { spawn } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const folder = process.env['ANSWERS'];
const scoreFile = join(import.meta.dirname, 'score.json');
/** Cases that wait for what is not served yet take 15 s each; many at once keep the run short. */
const JOBS = '24';
/** Informers lag now and then: so many cases may fail that passed when the score was recorded. */
const FLAKES = 5;

if (folder === undefined || folder === '') {
	console.log('skipped: ANSWERS is not set, so there are no recorded answers to replay');
	console.log('totals: 0 passed, 0 failed, 1 skipped');
} else await replay(folder);

async function replay(answers: string): Promise<void> {
	const server = spawn(process.execPath, [join(import.meta.dirname, 'serve.ts')], { stdio: ['ignore', 'pipe', 'inherit'] });
	try {
		const [url = '', token = ''] = (await firstLine(server.stdout)).split(' ');
		const script = spawn(
			'python3',
			[join(answers, 'replay.py'), 'compare', url, token, answers, '--jobs', JOBS, '--quiet', '--diffs', '0'],
			{ stdio: ['ignore', 'pipe', 'inherit'] },
		);
		let output = '';
		script.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
		await new Promise((resolve) => script.once('close', resolve));
		const areas = Object.fromEntries(
			[...output.matchAll(/^(\w+) +(\d+) passed +(\d+) failed$/gm)].map(([, area = '', passed]) => [area, Number(passed)]),
		);
		const total = Object.values(areas).reduce((a, b) => a + b, 0);
		const recorded = JSON.parse(await readFile(scoreFile, 'utf8').catch(() => '{}')) as Record<string, number>;
		const cases = [...output.matchAll(/^(\w+) +(\d+) passed +(\d+) failed$/gm)].reduce((n, [, , p, f]) => n + Number(p) + Number(f), 0);
		for (const [area, passed] of Object.entries(areas))
			console.log(`${area.padEnd(14)} ${String(passed).padStart(5)} agree, recorded ${recorded[area] ?? 0}`);
		const before = Object.values(recorded).reduce((a, b) => a + b, 0);
		console.log(`${total} of ${cases} answers agree with upstream's (${((total / cases) * 100).toFixed(1)} %), recorded ${before}`);
		if (process.argv.includes('--record')) await writeFile(scoreFile, `${JSON.stringify(areas, undefined, '\t')}\n`);
		const fell = cases === 0 || total < before - FLAKES;
		if (fell) console.log('failed: fewer answers agree than when the score was recorded');
		console.log(`totals: ${fell ? 0 : 1} passed, ${fell ? 1 : 0} failed, 0 skipped`);
		if (fell) process.exitCode = 1;
	} finally {
		server.kill('SIGTERM');
	}
}

function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
	return new Promise((resolve, reject) => {
		let text = '';
		stream.setEncoding('utf8');
		stream.on('data', (chunk: string) => {
			text += chunk;
			if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')));
		});
		stream.once('end', () => reject(new Error('the server ended before it was ready')));
	});
}
