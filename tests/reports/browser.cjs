// Opens a report in Chromium, in both colour schemes and without JavaScript,
// uses it as a person would, and leaves screenshots.
const assert = require("assert");
const { chromium } = require("playwright-core");
const [page_file, folder] = process.argv.slice(2);

async function open(browser, options) {
  const context = await browser.newContext({ viewport: { width: 1100, height: 1300 }, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("pageerror", error => errors.push(String(error)));
  page.on("console", message => message.type() === "error" && errors.push(message.text()));
  page.on("request", request => request.url().startsWith("file:") || errors.push(request.url()));
  await page.goto("file://" + page_file);
  return { page, errors };
}

(async () => {
  const browser = await chromium.launch({
    executablePath: "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
      "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });
  const colours = {};
  for (const colorScheme of ["light", "dark"]) {
    const { page, errors } = await open(browser, { colorScheme });
    assert.match(await page.title(), /^roceaudit: NOT AS DECLARED$/); // nothing of a device ran
    assert.match(await page.locator("h1").innerText(), /NOT AS DECLARED/);
    const shown = () => page.locator("#entries details:visible").count();
    const all = await shown();
    assert.ok(all > 8, "entries: " + all);

    await page.fill("#search", "leaf2 map/dscp dscp 26");
    const some = await shown();
    assert.ok(some >= 1 && some < all, "found: " + some);
    assert.equal(await page.locator("#count").innerText(), some + " of " + all);
    await page.fill("#search", "");
    await page.uncheck("input[value=critical]");
    assert.equal(await page.locator("details.critical:visible").count(), 0);
    await page.check("input[value=critical]");
    assert.equal(await shown(), all);

    const first = page.locator("#entries details").first();
    assert.equal(await first.locator("pre").isVisible(), false);
    await first.locator("summary").click();
    assert.match(await first.locator("pre").innerText(), /qos map dscp 26 to traffic-class 3/);
    await page.click("#unfold");
    assert.equal(await page.locator("#entries details[open]").count(), all);
    await page.click("#unfold");
    await page.screenshot({ path: `${folder}/report-${colorScheme}.png` });

    await page.locator("#matrix td.fail").first().click();
    assert.match(await page.inputValue("#search"), /^leaf2 /);
    assert.ok(await shown() >= 1);
    // Nothing is wider than the page but what scrolls by itself.
    await page.setViewportSize({ width: 420, height: 900 });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    colours[colorScheme] = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.deepEqual(errors, []);
  }
  assert.notEqual(colours.light, colours.dark);

  const { page } = await open(browser, { javaScriptEnabled: false });
  assert.equal(await page.locator(".bar").isVisible(), false);
  await page.locator("#entries summary").first().click();
  assert.ok(await page.locator("#entries details pre").first().isVisible());
  await browser.close();
})().catch(error => { console.error(error); process.exit(1); });
