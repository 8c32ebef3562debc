// Small drawings as SVG: a score with its error, and a line through days.

const SVG = 'http://www.w3.org/2000/svg';

function shape(tag: string, attributes: Readonly<Record<string, string | number>>, ...children: readonly Element[]): SVGElement {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

const clamp = (value: number): number => Math.min(Math.max(value, 0), 1);

/** A score from 0 to 1 as a dot with its error, and a bar where it was expected. The numbers stand beside it. */
export function scoreBar(score: number, error: number | null, expected: number | null): SVGElement {
  const [width, middle] = [160, 10];
  const x = (value: number) => 4 + clamp(value) * (width - 8);
  const parts = [
    shape('line', { class: 'axis', x1: x(0), x2: x(1), y1: middle, y2: middle }),
    shape('line', { class: 'axis', x1: x(0.5), x2: x(0.5), y1: 4, y2: 16 }),
  ];
  if (expected !== null) parts.push(shape('rect', { class: 'expected', x: x(expected) - 2, y: 2, width: 4, height: 16 }));
  if (error !== null) parts.push(shape('line', { class: 'error', x1: x(score - error), x2: x(score + error), y1: middle, y2: middle }));
  parts.push(shape('circle', { class: 'score', cx: x(score), cy: middle, r: 4 }));
  return shape('svg', { class: 'score-bar', viewBox: `0 0 ${width} 20`, width, height: 20, 'aria-hidden': 'true' }, ...parts);
}

/** A value over time. Thins points beyond the resolution of the picture. */
export function lineChart(points: readonly (readonly [number, number])[], label: string): SVGElement {
  const [width, height, edge] = [640, 180, 44];
  const thin = Math.ceil(points.length / width);
  const shown = points.filter((_, i) => i % thin === 0 || i === points.length - 1);
  const values = shown.map(([, value]) => value);
  const times = shown.map(([time]) => time);
  const [low, high] = [Math.min(...values) - 10, Math.max(...values) + 10];
  const [from, to] = [Math.min(...times), Math.max(...times)];
  const x = (time: number) => edge + ((time - from) / Math.max(to - from, 1)) * (width - edge - 8);
  const y = (value: number) => 8 + ((high - value) / (high - low)) * (height - 32);
  const day = (time: number) => new Date(time).toLocaleDateString([], { dateStyle: 'medium' });
  const written = (text: string, at: Readonly<Record<string, string | number>>) => {
    const node = shape('text', at);
    node.textContent = text;
    return node;
  };
  return shape('svg', { class: 'line-chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label },
    ...[low + 10, high - 10].flatMap((value) => [
      shape('line', { class: 'axis', x1: edge, x2: width - 8, y1: y(value), y2: y(value) }),
      written(String(value), { x: edge - 6, y: y(value) + 4, 'text-anchor': 'end' }),
    ]),
    shape('polyline', { points: shown.map(([time, value]) => `${x(time).toFixed(1)},${y(value).toFixed(1)}`).join(' ') }),
    ...(shown.length < 60 ? shown.map(([time, value]) => shape('circle', { cx: x(time), cy: y(value), r: 2.5 })) : []),
    written(day(from), { x: edge, y: height - 4 }),
    written(day(to), { x: width - 8, y: height - 4, 'text-anchor': 'end' }),
  );
}

interface LadderPoint {
  readonly level: number;
  readonly performance: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Performance (y) by level (x), with the diagonal where both are equal. */
export function ladderChart(points: readonly LadderPoint[], label: string): SVGElement {
  const [size, edge] = [360, 48];
  const all = points.flatMap(({ level, performance }) => [level, performance]);
  const [low, high] = [Math.floor(Math.min(...all, 600) / 200) * 200, Math.ceil(Math.max(...all, 2400) / 200) * 200];
  const share = (value: number) => clamp((value - low) / (high - low));
  const x = (value: number) => edge + share(value) * (size - edge - 12);
  const y = (value: number) => size - 32 - share(value) * (size - 44);
  const written = (text: string, at: Readonly<Record<string, string | number>>) => {
    const node = shape('text', at);
    node.textContent = text;
    return node;
  };
  const steps = Array.from({ length: Math.floor((high - low) / 400) + 1 }, (_, i) => low + i * 400);
  return shape('svg', { class: 'ladder-chart', viewBox: `0 0 ${size} ${size}`, role: 'img', 'aria-label': label },
    ...steps.flatMap((value) => [
      shape('line', { class: 'axis', x1: x(low), x2: x(high), y1: y(value), y2: y(value) }),
      shape('line', { class: 'axis', x1: x(value), x2: x(value), y1: y(low), y2: y(high) }),
      written(String(value), { x: edge - 6, y: y(value) + 4, 'text-anchor': 'end' }),
      written(String(value), { x: x(value), y: size - 14, 'text-anchor': 'middle' }),
    ]),
    shape('line', { class: 'diagonal', x1: x(low), x2: x(high), y1: y(low), y2: y(high) }),
    ...points.flatMap((point) => [
      ...(point.low === null || point.high === null ? [] : [shape('line', { class: 'error', x1: x(point.level), x2: x(point.level), y1: y(point.low), y2: y(point.high) })]),
      shape('circle', { class: 'score', cx: x(point.level), cy: y(point.performance), r: 4 }),
    ]),
  );
}
